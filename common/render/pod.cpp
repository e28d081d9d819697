#include "common/render/pod.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/api/model/names.h"
#include "common/api/model/pod_requests.h"
#include "common/base/json.h"
#include "common/render/container.h"
#include "common/render/entrypoint.h"
#include "common/render/job.h"
#include "common/render/metadata.h"
#include "common/render/pod_group.h"
#include "common/render/resources.h"
#include "common/render/schedulers.h"
#include "common/render/volumes.h"

namespace mc::render {
namespace {

// Kubernetes' default of terminationGracePeriodSeconds: what a pod has for all but its jobs.
constexpr std::int64_t kDefaultGraceSeconds = 30;

// Those in `names` and of spec.containers: also for the services pod, because existing files rely
// on it, as the public operator reads no others.
json pull_secrets(const api::Spec& spec, std::set<std::string> names) {
  for (const api::Container& container : spec.containers) names.insert(container.image_pull_secret);
  names.erase("");
  json out = json::array();
  for (const std::string& name : names) out.push_back({{"name", name}});
  return out;
}

// The API server refuses an overhead without a runtime class. Two forms are accepted: quantities by
// name, and limits or requests with quantities by name.
json overhead(const api::Pod& pod) {
  if (pod.runtime_class_name.empty() || !pod.resources.is_object()) return nullptr;
  for (const char* part : {"limits", "requests"}) {
    if (pod.resources.contains(part)) return pod.resources[part];
  }
  return pod.resources;
}

// The fields that the Job's pods and the services pod have in common.
json pod_spec(const api::MiniCluster& cluster, const char* restart_policy) {
  const api::Pod& pod = cluster.spec.pod;
  json out = {{"subdomain", headless_name(cluster)},
              {"automountServiceAccountToken", pod.automount_service_account_token.value_or(false)},
              {"restartPolicy", pod.restart_policy.empty() ? restart_policy : pod.restart_policy}};
  set_unless_empty(out, "serviceAccountName", pod.service_account_name);
  set_unless_empty(out, "schedulerName", pod.scheduler_name);
  set_unless_empty(out, "runtimeClassName", pod.runtime_class_name);
  set_unless_empty(out, "dnsPolicy", pod.dns_policy);
  set_unless_empty(out, "nodeSelector", pod.node_selector);
  set_unless_empty(out, "tolerations", pod.tolerations);
  set_unless_empty(out, "securityContext", pod.security_context);
  set_unless_empty(out, "overhead", overhead(pod));
  return out;
}

void add_containers(const api::MiniCluster& cluster, json& spec) {
  if (!cluster.spec.flux.container.disable) {
    spec["initContainers"] = json::array({init_container(cluster)});
  }
  spec["containers"] = json::array();
  for (std::size_t i = 0; i < cluster.spec.containers.size(); ++i) {
    const bool native = role(cluster, i) == Role::Native;
    spec[native ? "initContainers" : "containers"].push_back(job_container(cluster, i));
  }
}

// Restores our labels, even if the patch has removed the object that holds them: Services select by
// them.
void keep_our_labels(const api::MiniCluster& cluster, json& pod) {
  json& labels = object_in(object_in(pod, "metadata"), "labels");
  for (const auto& [key, value] : api::pod_labels(cluster)) labels[key] = value;
}

// A podAffinityTerm: the pods of the MiniCluster, on nodes with the same value of that label.
json same_cluster(const api::MiniCluster& cluster, const std::string& topology_key) {
  json expression = {{"key", "app.kubernetes.io/name"},
                     {"operator", "In"},
                     {"values", json::array({cluster.name})}};
  return {{"labelSelector", {{"matchExpressions", json::array({std::move(expression)})}}},
          {"topologyKey", topology_key}};
}

json preferred(json term) {
  json weighted = {{"weight", 100}, {"podAffinityTerm", std::move(term)}};
  return {{"preferredDuringSchedulingIgnoredDuringExecution", json::array({std::move(weighted)})}};
}

// Each label of spec.pod.nodeAffinity must have one of its values. Empty if there is none.
json node_affinity(const api::MiniCluster& cluster) {
  const json& values_by_label = cluster.spec.pod.node_affinity;
  if (!values_by_label.is_object() || values_by_label.empty()) return json::object();
  json expressions = json::array();
  for (const auto& [label, values] : values_by_label.items()) {
    expressions.push_back({{"key", label}, {"operator", "In"}, {"values", values}});
  }
  const json term = {{"matchExpressions", std::move(expressions)}};
  return {{"nodeAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution",
             {{"nodeSelectorTerms", json::array({term})}}}}}};
}

// The key that is unique in a list: a volume may be mounted twice, a path only once.
const char* list_key(const std::string& member) {
  return member == "volumeMounts" ? "mountPath" : "name";
}

bool is_keyed(const json& list, const char* key) {
  return list.is_array() && std::ranges::all_of(list, [key](const json& entry) {
           return entry.is_object() && entry.contains(key) && entry[key].is_string();
         });
}

void merge_object(json& target, const json& patch);

// If `target` has several entries of a name, the first one is merged.
void merge_list(json& target, const json& patch, const char* key) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < target.size(); ++i) places.try_emplace(target[i][key], i);
  for (const json& entry : patch) {
    const auto [same, is_new] = places.try_emplace(entry[key], target.size());
    if (is_new) target.push_back(json::object());
    merge_object(target[same->second], entry);
  }
}

void merge_member(json& target, const std::string& member, const json& patch) {
  const char* key = list_key(member);
  if (patch.is_object()) {
    merge_object(target[member], patch);
  } else if (is_keyed(patch, key) && target.contains(member) && is_keyed(target[member], key)) {
    merge_list(target[member], patch, key);
  } else {
    target[member] = patch;
  }
}

void merge_object(json& target, const json& patch) {
  if (!target.is_object()) target = json::object();
  for (const auto& [member, value] : patch.items()) {
    if (value.is_null()) {
      target.erase(member);
    } else {
      merge_member(target, member, value);
    }
  }
}

// The label of spec.topology that the pods should have in common if possible; "" for none.
std::string preferred_topology(const api::Spec& spec) {
  if (!spec.topology.preferred.empty()) return spec.topology.preferred;
  return spec.network.disable_affinity ? "" : "topology.kubernetes.io/zone";
}

// Whether Kueue places the pods by spec.topology (add_topology_annotations). The labels are looked
// at last: they are put together for that.
bool kueue_places(const api::MiniCluster& cluster) {
  const auto& [required, preferred] = cluster.spec.topology;
  return !(required.empty() && preferred.empty()) && has_queue(cluster);
}

// Preferred: one zone for the whole cluster and a node per broker (unless
// spec.network.disableAffinity). Required: the nodes of spec.pod.nodeAffinity. spec.topology:
// unless Kueue places the pods by it; also with a PodGroup, because the API server drops the
// PodGroup's own constraint without the feature gate TopologyAwareWorkloadScheduling. An empty
// object: the pods have no affinity.
json affinity(const api::MiniCluster& cluster) {
  json out = node_affinity(cluster);
  const api::Spec& spec = cluster.spec;
  if (kueue_places(cluster)) return out;
  if (const std::string label = preferred_topology(spec); !label.empty()) {
    out["podAffinity"] = preferred(same_cluster(cluster, label));
  }
  if (!spec.topology.required.empty()) {
    out["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
        json::array({same_cluster(cluster, spec.topology.required)});
  }
  if (!spec.network.disable_affinity) {
    out["podAntiAffinity"] = preferred(same_cluster(cluster, "kubernetes.io/hostname"));
  }
  return out;
}

// Kueue places the pods of a queue by these (kueue.sigs.k8s.io, "Topology Aware Scheduling").
void add_topology_annotations(const api::MiniCluster& cluster, api::StringMap& annotations) {
  if (!kueue_places(cluster)) return;
  const auto& [required, preferred] = cluster.spec.topology;
  if (!required.empty()) {
    annotations.emplace("kueue.x-k8s.io/podset-required-topology", required);
  } else {
    annotations.emplace("kueue.x-k8s.io/podset-preferred-topology", preferred);
  }
}

// The pods ask the cluster's DNS for the other brokers, and each takes the brokers' port of its
// node: the scheduler places no two on one.
void add_host_network(const api::MiniCluster& cluster, json& spec) {
  if (!api::uses_host_network(cluster)) return;
  if (!spec.contains("dnsPolicy")) spec["dnsPolicy"] = api::kHostNetworkDns;
  const std::string runner = api::runner_container_name(cluster);
  for (json& container : spec["containers"]) {
    if (container["name"] != runner) continue;
    json& ports = container["ports"];
    const bool has_it = ports.is_array() && std::ranges::any_of(ports, [](const json& port) {
                          return integer_at(port, {"containerPort"}) == api::kBrokerPort;
                        });
    if (!has_it) {
      ports.push_back({{"containerPort", api::kBrokerPort},
                       {"hostPort", api::kBrokerPort},
                       {"protocol", "TCP"}});
    }
  }
}

}  // namespace

api::StringMap labels_of_pod(const api::MiniCluster& cluster) {
  api::StringMap out = api::pod_labels(cluster);
  out.insert(cluster.spec.pod.labels.begin(), cluster.spec.pod.labels.end());
  return out;
}

std::int64_t restarts_in_place(const api::MiniCluster& cluster) {
  constexpr std::int64_t kMost = 3;  // then it may be the node
  const api::Spec& spec = cluster.spec;
  if (spec.restart_strategy != api::kInPlace || api::restarts_containers(spec.pod)) return 0;
  return std::min(kMost, spec.backoff_limit.value_or(kMost));
}

json pod_template(const api::MiniCluster& cluster) {
  api::StringMap annotations = cluster.spec.pod.annotations;
  for (const std::string_view note : api::kPodAnnotations) annotations.erase(std::string(note));
  annotations.emplace("kubectl.kubernetes.io/default-container",
                      api::runner_container_name(cluster));
  api::StringMap labels = labels_of_pod(cluster);
  add_for_pods(cluster.labels, labels);
  add_for_pods(cluster.annotations, annotations);
  add_for_pods(cluster.spec.job_annotations, annotations);
  add_topology_annotations(cluster, annotations);
  json spec = pod_spec(cluster, "Never");
  spec["shareProcessNamespace"] = cluster.spec.share_process_namespace;
  const std::int64_t time_of_jobs =
      cluster.spec.drain_seconds + api::checkpoint_of(cluster.spec).seconds;
  if (time_of_jobs > 0) {
    spec["terminationGracePeriodSeconds"] = time_of_jobs + kDefaultGraceSeconds;
  }
  if (cluster.spec.pod.host_ipc) spec["hostIPC"] = true;
  if (cluster.spec.pod.host_pid) spec["hostPID"] = true;
  spec["volumes"] = job_volumes(cluster);
  set_unless_empty(spec, "imagePullSecrets",
                   pull_secrets(cluster.spec, {cluster.spec.flux.container.image_pull_secret}));
  set_unless_empty(spec, "affinity", affinity(cluster));
  add_containers(cluster, spec);
  json out = merged_template(
      {{"metadata", {{"labels", std::move(labels)}, {"annotations", std::move(annotations)}}},
       {"spec", std::move(spec)}},
      cluster.spec.pod.template_patch);
  add_shared_memory(cluster, out);
  add_host_network(cluster, out["spec"]);
  join_pod_group(cluster, out);
  keep_our_labels(cluster, out);
  return out;
}

json services_pod_outline(const api::MiniCluster& cluster) {
  if (cluster.spec.services.empty()) return nullptr;
  api::StringMap labels = labels_of_pod(cluster);
  labels.erase("hpa-selector");  // the autoscaler counts brokers
  labels[std::string(api::kIndexLabel)] = api::kServicesIndex;
  json out = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", metadata(cluster, services_pod_name(cluster), labels)}};
  set_unless_empty(out["metadata"], "annotations", cluster.spec.pod.annotations);
  return out;
}

json services_pod(const api::MiniCluster& cluster) {
  json out = services_pod_outline(cluster);
  if (out.is_null()) return out;
  json spec = pod_spec(cluster, "OnFailure");
  spec["hostname"] = services_pod_name(cluster);
  set_unless_empty(spec, "volumes", services_volumes(cluster));
  // Not the brokers' affinity to each other.
  set_unless_empty(spec, "affinity", node_affinity(cluster));
  spec["containers"] = json::array();
  std::set<std::string> secrets;
  for (const api::Container& container : cluster.spec.services) {
    spec["containers"].push_back(service_container(container));
    secrets.insert(container.image_pull_secret);
  }
  set_unless_empty(spec, "imagePullSecrets", pull_secrets(cluster.spec, std::move(secrets)));
  out["spec"] = std::move(spec);
  return out;
}

api::Amounts services_pod_requests(const api::MiniCluster& cluster) {
  return api::pod_requests(at_path(services_pod(cluster), {"spec"}));
}

json merged_template(json target, const json& patch) {
  if (patch.is_object()) merge_object(target, patch);
  return target;
}

}  // namespace mc::render
