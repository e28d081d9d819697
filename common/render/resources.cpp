#include "common/render/resources.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/api/model/names.h"
#include "common/api/model/quantity.h"
#include "common/base/text.h"
#include "common/render/pod.h"

namespace mc::render {
namespace {

using api::Quantity;

// The container that runs Flux, from the list `containers`; null if the list has none.
const json& runner_in(const json& containers, const api::MiniCluster& cluster) {
  static const json kNone;
  const std::string name = api::runner_container_name(cluster);
  for (const json& container : containers) {
    if (text_at(container, {"name"}) == name) return container;
  }
  return kNone;
}

// Its limits. Only what they depend on is rendered: the files in the pod depend on them.
json runner_limits(const api::MiniCluster& cluster) {
  const api::Container* runner = cluster.runner();
  json container = {{"name", api::runner_container_name(cluster)}};
  if (runner != nullptr && runner->resources.is_object()) {
    container["resources"] = runner->resources;
  }
  const json pod =
      merged_template({{"spec", {{"containers", json::array({std::move(container)})}}}},
                      cluster.spec.pod.template_patch);
  return at_path(runner_in(at_path(pod, {"spec", "containers"}), cluster), {"resources", "limits"});
}

bool has_shared_memory(const json& container) {
  return std::ranges::any_of(at_path(container, {"volumeMounts"}), [](const json& mount) {
    return normal_path(text_at(mount, {"mountPath"})) == api::kSharedMemoryPath;
  });
}

// Half of the memory limit in bytes; "" without one.
std::string half_of_the_limit(const api::MiniCluster& cluster, const json& spec) {
  const json& of_pod = at_path(spec, {"resources", "limits", "memory"});
  const json& container = runner_in(at_path(spec, {"containers"}), cluster);
  const auto limit = Quantity::read(
      of_pod.is_null() ? at_path(container, {"resources", "limits", "memory"}) : of_pod);
  if (!limit || *limit <= Quantity()) return "";
  constexpr std::int64_t kNano = 1'000'000'000;
  return Quantity(static_cast<std::int64_t>(limit->nano() / kNano / 2)).str();
}

// Adds the mount to the containers of a list that have none; true if there was any.
bool mount_where_missing(json& containers, bool only_sidecars) {
  bool added = false;
  if (!containers.is_array()) return added;
  for (json& container : containers) {
    if (!container.is_object() || has_shared_memory(container)) continue;
    if (only_sidecars && text_at(container, {"restartPolicy"}) != "Always") continue;
    json& mounts = container["volumeMounts"];
    if (!mounts.is_array()) mounts = json::array();
    mounts.push_back({{"name", api::kSharedMemoryVolume}, {"mountPath", api::kSharedMemoryPath}});
    added = true;
  }
  return added;
}

}  // namespace

std::int64_t gpus(const api::MiniCluster& cluster) {
  const json limits = runner_limits(cluster);
  Quantity out;
  const auto add = [&](const std::string& name) {
    out += Quantity::read(at_path(limits, {name})).value_or(Quantity());
  };
  for (const char* name : {"nvidia.com/gpu", "amd.com/gpu"}) add(name);
  for (const std::string& name : cluster.more_gpus) add(name);
  constexpr std::int64_t kMost = 1000;  // of a node; Flux lists each one
  return out > Quantity(0) && out.is_whole() && out <= Quantity(kMost) ? std::stoll(out.str()) : 0;
}

void add_shared_memory(const api::MiniCluster& cluster, json& pod) {
  if (cluster.spec.pod.shared_memory.disable || !pod.is_object()) return;
  const auto at = pod.find("spec");
  if (at == pod.end() || !at->is_object() || at_path(*at, {"hostIPC"}) == true) return;
  json& spec = *at;
  const bool in_containers = mount_where_missing(spec["containers"], false);
  const bool in_sidecars =
      spec.contains("initContainers") && mount_where_missing(spec["initContainers"], true);
  if (!in_containers && !in_sidecars) return;
  const std::string& given = cluster.spec.pod.shared_memory.size;
  const std::string size = given.empty() ? half_of_the_limit(cluster, spec) : given;
  json source = {{"medium", "Memory"}};
  if (!size.empty()) source["sizeLimit"] = size;
  json& volumes = spec["volumes"];
  if (!volumes.is_array()) volumes = json::array();
  volumes.push_back({{"name", api::kSharedMemoryVolume}, {"emptyDir", std::move(source)}});
}

}  // namespace mc::render
