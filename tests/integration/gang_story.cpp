#include "tests/integration/gang_story.h"

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <random>
#include <sstream>
#include <utility>

namespace mc::test {
namespace {

// The value of an environment variable, or "".
std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

GangKind kind_of(const std::string& name) {
  if (name == "Coscheduling") {
    return {.name = name,
            .groups = {"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup"},
            .scheduler_name = "scheduler-plugins-scheduler"};
  }
  if (name == "Volcano") {
    return {.name = name,
            .groups = {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"},
            .scheduler_name = "volcano"};
  }
  EXPECT_TRUE(name.empty() || name == "Native") << name;
  const bool is_alpha = variable("MINICLUSTER_TEST_RUNTIME_CONFIG").contains("v1alpha2");
  return {
      .name = "Native",
      .groups = {"scheduling.k8s.io", is_alpha ? "v1alpha2" : "v1beta1", "podgroups", "PodGroup"},
      .scheduler_name = "",
      .is_resizable = !is_alpha};
}

// What Volcano has instead of labels of nodes: a HyperNode for each value of `rack`.
json hyper_nodes(int racks) {
  json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  for (int i = 0; i < racks; ++i) {
    const std::string rack = "r" + std::to_string(i);
    const json member = {{"type", "Node"},
                         {"selector", {{"labelMatch", {{"matchLabels", {{"rack", rack}}}}}}}};
    list["items"].push_back(
        {{"apiVersion", "topology.volcano.sh/v1alpha1"},
         {"kind", "HyperNode"},
         {"metadata", {{"name", "rack-" + rack}}},
         {"spec", {{"tier", 1}, {"tierName", "rack"}, {"members", json::array({member})}}}});
  }
  return list;
}

}  // namespace

const GangKind& gang_kind() {
  static const GangKind kind = kind_of(variable("MINICLUSTER_TEST_GANG"));
  return kind;
}

std::string GangKind::kubectl_name() const {
  return std::string(groups.plural) + "." + std::string(groups.group);
}

int GangKind::min_count(const json& group) const {
  return value_at(group, is_native() ? "/spec/schedulingPolicy/gang/minCount" : "/spec/minMember",
                  0);
}

std::string GangKind::group_of(const json& pod) const {
  if (is_native()) return value_at(pod, "/spec/schedulingGroup/podGroupName", std::string());
  return value_at(pod,
                  name == "Volcano" ? "/metadata/annotations/scheduling.k8s.io~1group-name"
                                    : "/metadata/labels/scheduling.x-k8s.io~1pod-group",
                  std::string());
}

std::string in_seconds(std::chrono::duration<double> time) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << time.count() << " s";
  return out.str();
}

void GangStory::set_up(int slots, int racks) {
  OnNodes::SetUpTestSuite();
  Stage& stage = Stage::get();
  stage.kubectl().must({"delete", "nodes", "--all"});
  for (int i = 0; i < slots; ++i) {
    nodes_->add("slot-" + std::to_string(i), 1,
                {{"rack", "r" + std::to_string(i % racks)}, {"minicluster.test/slot", ""}});
  }
  if (gang_kind().name == "Volcano") {
    stage.kubectl().must({"apply", "-f", "-"}, hyper_nodes(racks).dump());
  }
  stage.restart_controller(stage.kubectl().kubeconfig(), controller_arguments());
}

std::vector<std::string> GangStory::controller_arguments() {
  return {"-v", "1", "--gang=auto", "--gang-kinds=" + gang_kind().name};
}

json GangStory::in_slots(const std::string& name, int size, json spec, const char* cpu) {
  spec["size"] = size;
  spec["containers"] = {{{"image", "ubuntu:noble"},
                         {"command", "hostname"},
                         {"resources", {{"requests", {{"cpu", cpu}}}}}}};
  if (!gang_kind().is_native()) {
    const bool is_off = !value_at(spec, "/gang/enabled", true);
    if (is_off) {
      spec["pod"]["schedulerName"] = gang_kind().scheduler_name;
    } else if (value_at(spec, "/pod/schedulerName", std::string()).empty()) {
      spec["gang"]["kind"] = gang_kind().name;
    }
  }
  return minicluster(name, spec);
}

std::map<std::string, int> GangStory::make_many(int first, int count, std::pair<int, int> sizes,
                                                unsigned seed, const json& spec) {
  std::mt19937 random(seed);
  std::map<std::string, int> out;
  const json none = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  json list = none;
  for (int i = first; i < first + count; ++i) {
    const std::string name = "many-" + std::to_string(i);
    out[name] = std::uniform_int_distribution<int>(sizes.first, sizes.second)(random);
    list["items"].push_back(in_slots(name, out[name], spec));
    if (list["items"].size() < 50 && i + 1 < first + count) continue;  // a kubectl has a minute
    create(list);
    list = none;
  }
  return out;
}

bool GangStory::end_those_that_run() {
  std::vector<std::string> command = {"annotate", "--overwrite", "pods"};
  for (const json& pod : kubectl.items({"pods", "-l", "batch.kubernetes.io/job-completion-index=0",
                                        "--field-selector=status.phase=Running"})) {
    command.push_back(pod["metadata"]["name"]);
  }
  if (command.size() == 3) return false;
  command.emplace_back("minicluster.test/ends=0");
  kubectl(command);
  return true;
}

// (To read hundreds of MiniClusters takes longer than to ask whether one runs.)
bool GangStory::all_end(std::size_t count, std::chrono::seconds limit) {
  return eventually([&] { return !end_those_that_run() && ended() == count; }, limit);
}

std::size_t GangStory::ended() {
  std::size_t out = 0;
  for (const json& cluster : kubectl.items({"miniclusters"})) {
    out += value_at(cluster, "/status/phase", std::string()) == "Succeeded" ? 1 : 0;
  }
  return out;
}

std::vector<std::string> GangStory::groups() {
  std::vector<std::string> out;
  const std::vector<std::string> names = {
      "get", gang_kind().kubectl_name(), "-o",
      "jsonpath={range .items[*]}{.metadata.name}{\"\\n\"}{end}"};
  for (std::string& name : lines_of(kubectl.must(names))) {
    // Volcano's controller makes `podgroup-UID` for the pods of a Job that name none.
    if (!name.starts_with("podgroup-")) out.push_back(std::move(name));
  }
  return out;
}

json GangStory::group(const std::string& name) {
  return kubectl.get({gang_kind().kubectl_name(), name});
}

void GangStory::measured(const std::string& text) {
  const std::string all = gang_kind().name + ": " + text;
  std::cout << "[ measured ] " << all << "\n";
  RecordProperty("measured" + std::to_string(++measured_), all);
}

std::map<std::string, std::set<std::string>> GangStory::racks() {
  std::map<std::string, std::string> rack_of;
  for (const json& node : kubectl.items({"nodes"})) {
    rack_of[node["metadata"]["name"]] = node["metadata"]["labels"]["rack"];
  }
  std::map<std::string, std::set<std::string>> out;
  for (const json& pod : kubectl.items({"pods"})) {
    if (!pod["spec"].contains("nodeName")) continue;
    out[pod["metadata"]["labels"]["batch.kubernetes.io/job-name"]].insert(
        rack_of[pod["spec"]["nodeName"]]);
  }
  return out;
}

std::string GangStory::gang_of(const std::string& name) {
  const json list = value_at(kubectl.get({"minicluster", name}), "/status/conditions", json());
  for (const json& entry : list) {
    if (entry["type"] == "GangScheduled") {
      return entry["status"].get<std::string>() + " " + entry["reason"].get<std::string>() + ": " +
             entry["message"].get<std::string>();
    }
  }
  return "";
}

}  // namespace mc::test
