#include "common/render/pod_group.h"

#include "common/api/model/names.h"
#include "common/api/model/pod_requests.h"
#include "common/render/metadata.h"
#include "common/render/pod.h"
#include "common/render/quorum.h"

namespace mc::render {
namespace {

using api::GangKind;

// How a pod names its group.
constexpr const char *kCoschedulingGroup = "scheduling.x-k8s.io/pod-group",  // a label
    *kVolcanoGroup = "scheduling.k8s.io/group-name",                         // an annotation
        *kVolcanoGroupToo = "scheduling.volcano.sh/group-name";              // another one

bool names_group(const api::StringMap& metadata) {
  return metadata.contains(kCoschedulingGroup) || metadata.contains(kVolcanoGroup) ||
         metadata.contains(kVolcanoGroupToo);
}

// Volcano's queue of a pod.
constexpr std::string_view kVolcanoQueue = "scheduling.volcano.sh/queue-name";

// The pods of an MPI job are of use only together, so they are also preempted together. The two
// versions write that differently.
json disrupted_together(std::string_view version) {
  return is_resizable(version) ? json{{"all", json::object()}} : json("PodGroup");
}

json native(const api::MiniCluster& cluster, std::int64_t min_count) {
  json out = {{"schedulingPolicy", {{"gang", {{"minCount", min_count}}}}},
              {"disruptionMode", disrupted_together(cluster.pod_group.api_version)}};
  if (const std::string& label = cluster.spec.topology.required; !label.empty()) {
    out["schedulingConstraints"] = {{"topology", json::array({{{"key", label}}})}};
  }
  return out;
}

// What that many pods request together, so that the scheduler does not begin with a group for
// which the cluster has no room.
json min_resources(const json& pod, std::int64_t min_count) {
  json out = json::object();
  for (const auto& [name, amount] : api::pod_requests(pod["spec"])) {
    out[name] = (amount * min_count).str();
  }
  return out;
}

// Volcano and the coscheduling plugin.
json with_min_member(const json& pod, std::int64_t min_count) {
  json out = {{"minMember", min_count}};
  set_unless_empty(out, "minResources", min_resources(pod, min_count));
  return out;
}

// HyperNodes that Volcano makes from labels of nodes have the label as the name of their tier.
json volcano(const api::MiniCluster& cluster, const json& pod, std::int64_t min_count) {
  json out = with_min_member(pod, min_count);
  set_unless_empty(out, "queue", text_at(pod, {"metadata", "annotations", kVolcanoQueue}));
  if (const std::string& label = cluster.spec.topology.required; !label.empty()) {
    out["networkTopology"] = {{"mode", "hard"}, {"highestTierName", label}};
  }
  return out;
}

json spec_of_group(const api::MiniCluster& cluster, std::int64_t min_count) {
  if (cluster.pod_group.kind == GangKind::Native) return native(cluster, min_count);
  const json pod = pod_template(cluster);
  return cluster.pod_group.kind == GangKind::Volcano ? volcano(cluster, pod, min_count)
                                                     : with_min_member(pod, min_count);
}

}  // namespace

bool has_own_pod_group(const api::MiniCluster& cluster) {
  const api::Pod& pod = cluster.spec.pod;
  return at_path(pod.template_patch, {"spec", "schedulingGroup"}).is_object() ||
         names_group(pod.labels) || names_group(pod.annotations) || names_group(cluster.labels) ||
         names_group(cluster.annotations) || names_group(cluster.spec.job_annotations);
}

json pod_group_outline(const api::MiniCluster& cluster) {
  return {{"apiVersion", cluster.pod_group.api_version},
          {"kind", "PodGroup"},
          {"metadata", metadata(cluster, pod_group_name(cluster), api::object_labels(cluster))}};
}

json pod_group(const api::MiniCluster& cluster, std::int64_t min_count) {
  if (cluster.pod_group.api_version.empty()) return nullptr;
  json spec = spec_of_group(cluster, min_count);
  // The group has the priority of this class, as the pods have it.
  if (cluster.pod_group.kind != GangKind::Coscheduling) {
    set_unless_empty(spec, "priorityClassName",
                     text_at(cluster.spec.pod.template_patch, {"spec", "priorityClassName"}));
  }
  json out = pod_group_outline(cluster);
  out["spec"] = std::move(spec);
  return out;
}

json pod_group(const api::MiniCluster& cluster) {
  return pod_group(cluster, needed_brokers(cluster));
}

void join_pod_group(const api::MiniCluster& cluster, json& pod) {
  const GangKind kind = cluster.pod_group.kind;
  if (cluster.pod_group.api_version.empty()) return;
  const std::string name = pod_group_name(cluster);
  if (kind == GangKind::Native) {
    pod["spec"]["schedulingGroup"] = {{"podGroupName", name}};
    return;
  }
  if (kind == GangKind::Coscheduling) {
    pod["metadata"]["labels"][kCoschedulingGroup] = name;
  } else {
    pod["metadata"]["annotations"][kVolcanoGroup] = name;
  }
  if (!pod["spec"].contains("schedulerName")) {
    pod["spec"]["schedulerName"] = api::facts_of(kind).scheduler;
  }
}

bool is_resizable(std::string_view api_version) {
  return api_version != "scheduling.k8s.io/v1alpha2";
}

}  // namespace mc::render
