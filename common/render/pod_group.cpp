#include "common/render/pod_group.h"

#include "common/api/model/names.h"
#include "common/render/broker.h"
#include "common/render/metadata.h"
#include "common/render/pod.h"

namespace mc::render {
namespace {

// The pods of an MPI job are of use only together, so they are also preempted together. The two
// versions write that differently.
json disrupted_together(const std::string& version) {
  return version == kResizablePodGroup ? json{{"all", json::object()}} : json("PodGroup");
}

}  // namespace

std::string pod_group_api_version(const std::string& version) {
  return "scheduling.k8s.io/" + version;
}

json pod_group(const api::MiniCluster& cluster) {
  const std::string& version = cluster.pod_group_version;
  if (version.empty()) return nullptr;
  json spec = {{"schedulingPolicy", {{"gang", {{"minCount", needed_brokers(cluster)}}}}},
               {"disruptionMode", disrupted_together(version)}};
  if (const std::string& label = cluster.spec.topology.required; !label.empty()) {
    spec["schedulingConstraints"] = {{"topology", json::array({{{"key", label}}})}};
  }
  // The API server gives the group the priority of this class, as it does with the pods.
  set_unless_empty(spec, "priorityClassName",
                   text_at(cluster.spec.pod.template_patch, {"spec", "priorityClassName"}));
  return {{"apiVersion", pod_group_api_version(version)},
          {"kind", "PodGroup"},
          {"metadata", metadata(cluster, pod_group_name(cluster), api::object_labels(cluster))},
          {"spec", std::move(spec)}};
}

}  // namespace mc::render
