#include "services/controller/render/pod.h"

#include <set>
#include <string>

#include "common/api/names.h"
#include "services/controller/render/affinity.h"
#include "services/controller/render/container.h"
#include "services/controller/render/entrypoint.h"
#include "services/controller/render/metadata.h"
#include "services/controller/render/volumes.h"

namespace mc::render {
namespace {

api::StringMap labels_of(const api::MiniCluster& cluster) {
  api::StringMap out = cluster.spec.pod.labels;
  for (const auto& [key, value] : api::pod_labels(cluster)) out[key] = value;  // ours win
  return out;
}

json pull_secrets(const std::vector<api::Container>& containers, const std::string& first) {
  std::set<std::string> names;
  if (!first.empty()) names.insert(first);
  for (const api::Container& container : containers) {
    if (!container.image_pull_secret.empty()) names.insert(container.image_pull_secret);
  }
  json out = json::array();
  for (const std::string& name : names) out.push_back({{"name", name}});
  return out;
}

// A pod's overhead belongs to its runtime class; without one the API server refuses it. Both forms
// are taken: quantities by name, and limits or requests with quantities by name.
json overhead(const api::Pod& pod) {
  if (pod.runtime_class_name.empty() || !pod.resources.is_object()) return nullptr;
  for (const char* part : {"limits", "requests"}) {
    if (pod.resources.contains(part)) return pod.resources[part];
  }
  return pod.resources;
}

// What the Job's pods and the services pod have in common.
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
  if (pod.host_ipc) out["hostIPC"] = true;
  if (pod.host_pid) out["hostPID"] = true;
  return out;
}

void add_containers(const api::MiniCluster& cluster, json& spec) {
  spec["initContainers"] = json::array({init_container(cluster)});
  spec["containers"] = json::array();
  for (std::size_t i = 0; i < cluster.spec.containers.size(); ++i) {
    const bool native = role(cluster, i) == Role::Native;
    spec[native ? "initContainers" : "containers"].push_back(job_container(cluster, i));
  }
}

}  // namespace

json pod_template(const api::MiniCluster& cluster) {
  api::StringMap annotations = cluster.spec.pod.annotations;
  annotations.emplace("kubectl.kubernetes.io/default-container",
                      api::runner_container_name(cluster));
  json spec = pod_spec(cluster, "Never");
  spec["shareProcessNamespace"] = cluster.spec.share_process_namespace;
  spec["volumes"] = job_volumes(cluster);
  set_unless_empty(
      spec, "imagePullSecrets",
      pull_secrets(cluster.spec.containers, cluster.spec.flux.container.image_pull_secret));
  set_unless_empty(spec, "affinity", affinity(cluster));
  add_containers(cluster, spec);
  return {{"metadata", {{"labels", labels_of(cluster)}, {"annotations", std::move(annotations)}}},
          {"spec", std::move(spec)}};
}

json services_pod(const api::MiniCluster& cluster) {
  if (cluster.spec.services.empty()) return nullptr;
  api::StringMap labels = labels_of(cluster);
  labels.erase("hpa-selector");  // the autoscaler counts brokers
  labels["job-index"] = "services";
  json spec = pod_spec(cluster, "OnFailure");
  spec["hostname"] = services_pod_name(cluster);
  set_unless_empty(spec, "volumes", services_volumes(cluster));
  set_unless_empty(spec, "imagePullSecrets", pull_secrets(cluster.spec.services, ""));
  spec["containers"] = json::array();
  for (const api::Container& container : cluster.spec.services) {
    spec["containers"].push_back(service_container(container));
  }
  json out = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", metadata(cluster, services_pod_name(cluster), labels)},
              {"spec", std::move(spec)}};
  set_unless_empty(out["metadata"], "annotations", cluster.spec.pod.annotations);
  return out;
}

}  // namespace mc::render
