#include "bench/fleet/plane.h"

#include <stdlib.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "bench/support/server.h"
#include "common/kube/config.h"
#include "services/api_resources.h"
#include "tests/support/must.h"

namespace mc::bench {
namespace {

using test::must;

constexpr int kCreators = 8;
constexpr int kPodsOfANode = 1000;

std::filesystem::path new_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "bench-fleet-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder " + pattern);
  return pattern;
}

json node(int number) {
  const json room = {{"cpu", std::to_string(kPodsOfANode)},
                     {"memory", "1Ti"},
                     {"pods", std::to_string(kPodsOfANode)}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", "node-" + std::to_string(number)}}},
          {"status", {{"capacity", room}, {"allocatable", room}}}};
}

constexpr kube::Resource kNodes{"", "v1", "nodes", "Node", false};

}  // namespace

Plane::Plane() : folder_(new_folder()) {
  script("up");
  install("crds");
  transport_ = must(kube::Transport::create(must(kube::load_config(kubeconfig()))));
  warm_up();
}

Plane::~Plane() {
  try {
    script("down");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

void Plane::install(const std::filesystem::path& crds) {
  const std::string kubectl = folder_ / "kubectl";
  run_to_end({kubectl, "--kubeconfig", kubeconfig(), "apply", "--server-side", "-f", crds});
  run_to_end({kubectl, "--kubeconfig", kubeconfig(), "wait", "--for=condition=Established", "crd",
              "--all"});
}

Scrape Plane::scrape() { return bench::scrape(*transport_); }

void Plane::script(const std::string& command, const std::string& argument) const {
  std::vector<std::string> words = {"tests/control_plane/control-plane.sh", command, folder_};
  if (!argument.empty()) words.push_back(argument);
  run_to_end(words);
}

// The first creations after a start and a new CRD take seconds: not what is measured.
void Plane::warm_up() {
  constexpr int kEnough = 50;
  create_miniclusters(*this, 0, kEnough, json::object(), [&](const json& cluster) {
    must(client().remove(kMiniClusters, "default", text_at(cluster, {"metadata", "name"})));
  });
}

void Plane::run_pods(int pods) {
  script("nodes");
  for (int i = 0; i * kPodsOfANode < pods + kPodsOfANode; ++i) {
    must(client().create(kNodes, node(i)));
  }
}

json minicluster(const std::string& name, const json& spec) {
  json object = {{"apiVersion", "flux-framework.org/v1alpha2"},
                 {"kind", "MiniCluster"},
                 {"metadata", {{"name", name}, {"namespace", "default"}}},
                 {"spec",
                  {{"size", 4},
                   {"containers",
                    {{{"image", "ghcr.io/flux-framework/flux-restful-api:latest"},
                      {"command", "lmp -in in.lj"}}}}}}};
  object["spec"].merge_patch(spec);
  return object;
}

void in_parallel(int count, const std::function<void(int number)>& act) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  threads.reserve(kCreators);
  for (int i = 0; i < kCreators; ++i) {
    threads.emplace_back([&] {
      for (int number = next++; number < count; number = next++) act(number);
    });
  }
}

void create_miniclusters(Plane& plane, int first, int count, const json& spec,
                         const std::function<void(const json&)>& created) {
  in_parallel(count, [&](int number) {
    char name[32];
    std::snprintf(name, sizeof(name), "fleet-%06d", first + number);
    created(must(plane.client().create(kMiniClusters, minicluster(name, spec))));
  });
}

}  // namespace mc::bench
