#include "services/controller/cache/reduce.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "services/controller/cache/log_tail.h"

namespace mc::controller {
namespace {

// Of a text, which may be the last 2 KiB of a log.
constexpr std::size_t kMostText = 1024;

constexpr const char* kContainers[] = {"initContainers", "containers", "ephemeralContainers"};
constexpr const char* kStatuses[] = {"initContainerStatuses", "containerStatuses"};

// Of a pod's spec, of each of its containers, and of each container's status.
constexpr const char* kUnreadOfSpec[] = {
    "affinity",      "dnsConfig", "hostAliases",    "imagePullSecrets",          "nodeSelector",
    "tolerations",   "volumes",   "readinessGates", "topologySpreadConstraints", "securityContext",
    "resourceClaims"};
constexpr const char* kUnreadOfContainer[] = {
    "args",          "command",        "env",         "envFrom",         "lifecycle",
    "livenessProbe", "readinessProbe", "ports",       "securityContext", "startupProbe",
    "volumeDevices", "volumeMounts",   "resizePolicy"};
constexpr const char* kUnreadOfStatus[] = {"allocatedResources", "allocatedResourcesStatus",
                                           "resources", "user", "volumeMounts"};

std::string cut(const std::string& text) { return std::string(cut_utf8(text, kMostText)); }

// The named members of `from`, texts cut.
json members(const json& from, std::initializer_list<const char*> names) {
  json out = json::object();
  for (const char* name : names) {
    const json& value = at_path(from, {name});
    if (value.is_string()) {
      out[name] = cut(value.get<std::string>());
    } else if (!value.is_null()) {
      out[name] = value;
    }
  }
  return out;
}

// The end of a container: its last words, and what our entry point says about it.
json reduce_end(const json& terminated) {
  json out = members(terminated, {"exitCode", "reason", "finishedAt"});
  const std::string message = text_at(terminated, {"message"});
  if (const std::string words = last_words(message, kMostText); !words.empty()) {
    out["message"] = words;
  }
  if (const auto end = step_end(message)) out["step"] = {{"name", end->step}, {"code", end->code}};
  if (const auto told = reported_exit_code(message)) out["told"] = *told;
  if (const auto alone = reported_singletons(message)) {
    out["singletons"] = {{"tasks", alone->tasks}, {"library", alone->library}};
  }
  return out;
}

json reduce_container(const json& container) {
  json out = members(container, {"name", "restartCount"});
  if (const json& waiting = at_path(container, {"state", "waiting"}); waiting.is_object()) {
    out["waiting"] = members(waiting, {"reason", "message"});
  }
  if (const json& running = at_path(container, {"state", "running"}); running.is_object()) {
    out["running"] = text_at(running, {"startedAt"});
  }
  const json& now = at_path(container, {"state", "terminated"});
  const json& last = at_path(container, {"lastState", "terminated"});
  if (now.is_object()) {
    out["ended"] = reduce_end(now);
  } else if (last.is_object()) {
    out["ended"] = reduce_end(last);
    out["restarted"] = true;
  }
  return out;
}

// The named members of each container of a list, and those parts of its resources that are set.
json reduce_containers(const json& list, std::initializer_list<const char*> names,
                       std::initializer_list<const char*> resources) {
  json out = json::array();
  for (const json& container : items_at(list, {})) {
    json reduced = members(container, names);
    for (const char* part : resources) {
      const json& amounts = at_path(container, {"resources", part});
      if (amounts.is_object() && !amounts.empty()) reduced["resources"][part] = amounts;
    }
    out.push_back(std::move(reduced));
  }
  return out;
}

// Of the spec of a pod or a template: the named members of its containers, and what
// quota/demand.cpp reads.
json reduce_pod_spec(const json& spec, std::initializer_list<const char*> names,
                     std::initializer_list<const char*> resources) {
  json out = members(spec, {"overhead", "resources"});
  out["containers"] = reduce_containers(at_path(spec, {"containers"}), names, resources);
  const json start =
      reduce_containers(at_path(spec, {"initContainers"}), {"restartPolicy"}, resources);
  const auto requests = [](const json& container) { return container.contains("resources"); };
  if (std::ranges::any_of(start, requests)) out["initContainers"] = start;
  return out;
}

// True for a native sidecar, which is restarted whenever it ends.
bool is_sidecar(const json& pod, const json& name) {
  return std::ranges::any_of(items_at(pod, {"spec", "initContainers"}), [&](const json& container) {
    return at_path(container, {"name"}) == name &&
           text_at(container, {"restartPolicy"}) == "Always";
  });
}

// Of a pod whose node does not answer, the node controller changes only the status of this
// condition; a kubelet always gives a reason.
bool is_silent(const json& pod) {
  const json* ready = api::condition_of(pod, "Ready");
  return ready != nullptr && text_at(*ready, {"status"}) == "False" &&
         text_at(*ready, {"reason"}).empty() &&
         api::true_condition_of(pod, "ContainersReady") != nullptr;
}

void reduce_conditions(const json& pod, json& status) {
  if (is_silent(pod)) status["silent"] = true;
  for (const json& condition : items_at(pod, {"status", "conditions"})) {
    const std::string type = text_at(condition, {"type"}), holds = text_at(condition, {"status"});
    if (type == "Ready" && holds == "True") status["ready"] = true;
    if (type == "PodScheduled" && holds == "False") {
      status["unscheduled"] = members(condition, {"reason", "message"});
    }
  }
}

// Keeps of each owner what tells which object it is.
void reduce_owners(json& metadata) {
  const json owners = std::exchange(metadata["ownerReferences"], json::array());
  for (const json& owner : items_at(owners, {})) {
    metadata["ownerReferences"].push_back(members(owner, {"kind", "name", "uid", "controller"}));
  }
}

// Of the pods of a Job, which are many, only the labels with their index are read.
void reduce_pod_labels(json& metadata) {
  const json& labels = at_path(metadata, {"labels"});
  if (at_path(labels, {api::kJobIndexLabel}).is_null()) return;
  json read = json::object();
  for (const std::string_view key : {api::kJobIndexLabel, api::kIndexLabel}) {
    if (const json& value = at_path(labels, {key}); !value.is_null()) read[key] = value;
  }
  metadata["labels"] = std::move(read);
}

// Items of a list have no kind.
json with_kind(std::string_view kind, const json& object) {
  json out = {{"kind", kind}, {"metadata", at_path(object, {"metadata"})}};
  if (out["metadata"].is_object()) reduce_owners(out["metadata"]);
  return out;
}

// These members of the spec.
json reduce_spec(const json& object, std::initializer_list<const char*> names) {
  json out = json::object();
  for (const char* name : names) {
    if (const json& value = at_path(object, {"spec", name}); !value.is_null()) out[name] = value;
  }
  return out;
}

// Keeps only our annotations.
void reduce_annotations(json& metadata) {
  json ours = json::object();
  for (const std::string_view key : api::kJobAnnotations) {
    const json& value = at_path(metadata, {"annotations", key});
    if (!value.is_null()) ours[std::string(key)] = value;
  }
  metadata["annotations"] = std::move(ours);
}

json reduce_to_metadata(std::string_view kind, const json& object) {
  json out = with_kind(kind, object);
  out["metadata"].erase("annotations");
  return out;
}

void add_all(std::vector<std::string>& to, std::string_view at,
             std::span<const char* const> names) {
  for (const char* name : names) to.push_back(std::string(at) + "." + name);
}

// Adds those of a pod's spec, which is at this path.
void add_unread_of_spec(std::vector<std::string>& to, const std::string& spec) {
  add_all(to, spec, kUnreadOfSpec);
  for (const char* containers : kContainers) {
    add_all(to, spec + "." + containers, kUnreadOfContainer);
  }
}

}  // namespace

Unread unread_of_pod() {
  std::vector<std::string> paths = {"status.ephemeralContainerStatuses", "status.hostIPs",
                                    "status.podIPs", "status.resourceClaimStatuses"};
  add_unread_of_spec(paths, "spec");
  for (const char* statuses : kStatuses) {
    add_all(paths, std::string("status.") + statuses, kUnreadOfStatus);
  }
  return unread(paths);
}

Unread unread_of_job() {
  std::vector<std::string> paths = {"spec.selector", "spec.template.metadata"};
  add_unread_of_spec(paths, "spec.template.spec");
  return unread(paths);
}

json reduce_pod(const json& pod) {
  json metadata =
      members(at_path(pod, {"metadata"}),
              {"name", "namespace", "uid", "resourceVersion", "labels", "ownerReferences",
               "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"});
  reduce_owners(metadata);
  reduce_pod_labels(metadata);
  const std::string admitted = text_at(pod, {"metadata", "annotations", api::kAdmittedAnnotation});
  if (!admitted.empty()) metadata["annotations"][api::kAdmittedAnnotation] = cut(admitted);
  json status = members(at_path(pod, {"status"}), {"phase", "reason", "message", "startTime"});
  reduce_conditions(pod, status);
  for (const char* statuses : kStatuses) {
    for (const json& container : items_at(pod, {"status", statuses})) {
      json reduced = reduce_container(container);
      if (is_sidecar(pod, at_path(container, {"name"}))) reduced["sidecar"] = true;
      status[statuses].push_back(std::move(reduced));
    }
  }
  // The API server has made a request of each limit.
  json spec = reduce_pod_spec(at_path(pod, {"spec"}), {"name", "image"}, {"requests"});
  if (metadata.contains("deletionTimestamp") || status.contains("silent")) {
    spec.update(members(at_path(pod, {"spec"}), {"nodeName"}));  // whose kubelet must end it
  }
  return {{"kind", "Pod"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

json reduce_job(const json& object) {
  json out = with_kind("Job", object);
  reduce_annotations(out["metadata"]);
  out["spec"] = reduce_spec(
      object, {"completions", "parallelism", "suspend", "backoffLimit", "activeDeadlineSeconds"});
  for (const char* policy : kPolicies) {
    if (at_path(object, {"spec", policy}).is_object()) out["spec"][policy] = json::object();
  }
  const json& pod = at_path(object, {"spec", "template", "spec"});
  if (pod.is_object()) {
    json& kept = out["spec"]["template"]["spec"];
    kept = reduce_pod_spec(pod, {}, {"limits", "requests"});
    for (const char* name : {"restartPolicy", "terminationGracePeriodSeconds"}) {
      if (pod.contains(name)) kept[name] = pod.at(name);
    }
  }
  out["status"] = at_path(object, {"status"});
  return out;
}

json reduce_service(const json& object) {
  json out = reduce_to_metadata("Service", object);
  out["spec"] = reduce_spec(object, {"selector", "ports", "publishNotReadyAddresses"});
  return out;
}

json reduce_config_map(const json& object) { return reduce_to_metadata("ConfigMap", object); }

}  // namespace mc::controller
