#pragma once
#include <string>
#include <utility>
#include <vector>

#include "common/api/model/minicluster.h"

// MiniClusters for tests, with the computed defaults filled in.
namespace mc::test {

inline api::Container container(std::string image, std::string command) {
  api::Container out;
  out.image = std::move(image);
  out.command = std::move(command);
  return out;
}

inline api::Container sidecar(std::string name, std::string image, std::string command = "") {
  api::Container out = container(std::move(image), std::move(command));
  out.name = std::move(name);
  return out;
}

// A MiniCluster of `size` pods that runs `command` once.
inline api::MiniCluster cluster(std::string command = "echo hello world", std::int64_t size = 4) {
  api::MiniCluster out;
  out.name = "flux-sample";
  out.namespace_ = "default";
  out.uid = "6f2a1c9e-1b7d-4c55-9f5e-0a1b2c3d4e5f";
  out.spec.size = size;
  out.spec.max_size = size;
  out.spec.network.headless_name = out.name;
  out.spec.flux.container.image = "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble";
  out.spec.containers = {container("ubuntu:noble", std::move(command))};
  out.spec.containers[0].run_flux = true;
  return out;
}

inline api::Volume host_path(std::string host, std::string path) {
  api::Volume out;
  out.host_path = std::move(host);
  out.path = std::move(path);
  return out;
}

inline api::Volume empty_dir(std::string path = "", std::string medium = "") {
  api::Volume out;
  out.empty_dir = true;
  out.path = std::move(path);
  out.empty_dir_medium = std::move(medium);
  return out;
}

// One MiniCluster per style that users of the public operator write.
inline std::vector<std::pair<std::string, api::MiniCluster>> shapes() {
  std::vector<std::pair<std::string, api::MiniCluster>> out;
  out.emplace_back("hello", cluster());
  auto add = [&out](const char* name) -> api::MiniCluster& {
    return out.emplace_back(name, cluster()).second;
  };
  auto& elastic = add("elastic");
  elastic.spec.max_size = 10;
  elastic.spec.interactive = true;
  elastic.spec.containers[0].command = "";
  elastic.spec.containers[0].working_dir = "/data";
  elastic.spec.containers[0].volumes["data"] = host_path("/data", "/data");
  auto& burst = add("burst");
  burst.spec.flux.bursting.clusters = {{"burst-0", 4}};
  auto& bursted = add("bursted");
  bursted.spec.flux.bursting.lead_broker = api::LeadBroker{"lead", "10.0.0.7", 8050, 2};
  auto& registry = add("registry");
  registry.spec.containers.push_back(sidecar("registry", "ghcr.io/oras-project/registry:latest"));
  registry.spec.containers[1].ports = {5000};
  auto& queue = add("queue");
  queue.spec.containers.push_back(sidecar("flux-queue", "ubuntu:noble", "sleep 10 && flux jobs"));
  auto& batch = add("batch");
  batch.spec.containers[0].batch = true;
  batch.spec.containers[0].command = "echo 1\necho 2\n";
  batch.spec.containers[0].volumes["data"] = empty_dir("/tmp/fluxout");
  auto& no_view = add("no-view");
  no_view.spec.flux.container.disable = true;
  auto& shared_memory = add("shared-memory");
  shared_memory.spec.containers[0].volumes["my-empty-dir"] = empty_dir("", "memory");
  auto& minimal = add("minimal");
  minimal.spec.flux.minimal_service = true;
  auto& services = add("services");
  services.spec.services = {sidecar("nginx", "nginx")};
  services.spec.services[0].ports = {80};
  return out;
}

}  // namespace mc::test
