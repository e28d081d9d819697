#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/api/examine.h"
#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/read.h"
#include "services/controller/reconcile/examinations.h"
#include "services/controller/reconcile/job_change.h"
#include "services/controller/reconcile/plan.h"
#include "tests/services/controller/sent.h"

namespace mc::controller::test {

// A stored MiniCluster, with a merge patch applied.
inline json cluster(const char* patch = "{}") {
  json object = json::parse(R"({
    "apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
    "metadata": {"name": "sample", "namespace": "lab", "generation": 3, "resourceVersion": "7",
                 "uid": "0123abcd-0000-4000-8000-000000000000"},
    "spec": {"size": 2, "containers": [{"image": "ubuntu:noble", "command": "hostname"}]}})");
  object.merge_patch(json::parse(patch));
  return object;
}

template <class T>
Shared<T> shared(T object) {
  return std::make_shared<const T>(std::move(object));
}

// The MiniCluster owns this object, too.
inline void add_owned(Observed& seen, json object) {
  const json kind = object["kind"];
  if (kind == "ConfigMap") return seen.config_maps.push_back(shared(read_config_map(object)));
  if (kind == "PodGroup") {
    const api::GangKind of = api::kind_of_version(text_at(object, {"apiVersion"}));
    return seen.pod_groups.push_back(shared(read_pod_group(of, object)));
  }
  if (kind == "Service") return seen.services.push_back(shared(read_service(object)));
  if (kind == "PodDisruptionBudget") {
    return seen.pod_disruption_budgets.push_back(shared(read_pod_disruption_budget(object)));
  }
  if (kind == "Pod") return seen.owned_pods.push_back(shared(read_pod(object)));
  seen.jobs.push_back(shared(read_job(object)));
}

inline Observed observed(const json& cluster_object, std::vector<json> owned = {}) {
  Observed out;
  out.cluster = shared(read_mini_cluster(cluster_object));
  for (json& object : owned) add_owned(out, std::move(object));
  return out;
}

inline api::Examination examined(const Observed& seen) { return examine(seen); }

// 2026-01-01T00:00:00Z.
inline const TimePoint kNow = std::chrono::system_clock::from_time_t(1767225600);

inline Plan planned(const Observed& seen, TimePoint now = kNow) {
  const api::Examination examination = examined(seen);
  return plan(seen, examination, job_change(seen, examination), now,
              [] { return std::string("fresh certificate"); });
}

// Applies a merge patch to the MiniCluster.
inline void patch_cluster(Observed& seen, const json& patch) {
  json changed = sent_cluster(*seen.cluster);
  changed.merge_patch(patch);
  seen.cluster = shared(read_mini_cluster(changed));
}

// The status records that this Job could start.
inline void record(Observed& seen, const std::string& job_uid) {
  json conditions = at_path(sent_cluster(*seen.cluster), {"status", "conditions"});
  if (!conditions.is_array()) conditions = json::array();
  if (api::find_condition(conditions, api::kAccepted) == nullptr) {
    conditions.push_back({{"type", api::kAccepted}, {"status", "True"}});
  }
  patch_cluster(seen, {{"status", {{"jobid", job_uid}, {"conditions", conditions}}}});
}

// What the controller observes once the plan's objects are created. It never sees Secrets.
inline Observed after(const Observed& seen, const Plan& todo) {
  Observed out = seen;
  bool starts = false;
  for (const Create& create : todo.create) {
    json object = create.object;
    if (object["kind"] == "Secret") continue;
    if (object["kind"] == "Job") object["metadata"]["uid"] = "job-uid";
    starts = starts || (object["kind"] == "Job" && at_path(object, {"spec", "suspend"}) != true);
    add_owned(out, std::move(object));
  }
  if (!starts) return out;
  record(out, "job-uid");
  for (const Create& create : todo.create_once_recorded) {
    add_owned(out, create.object);
  }
  return out;
}

// The same of cluster(patch), whose objects all exist.
inline Observed made(const char* patch = "{}") {
  const Observed before = observed(cluster(patch));
  return after(before, planned(before));
}

// Applies a merge patch to the Job.
inline void patch_job(Observed& seen, const json& patch) {
  for (Shared<Job>& job : seen.jobs) {
    json changed = sent_job(*job);
    changed.merge_patch(patch);
    job = shared(read_job(changed));
  }
}

inline void lose(Observed& seen, const std::string& kind) {
  if (kind == "ConfigMap") seen.config_maps.clear();
  if (kind == "Service") seen.services.clear();
  if (kind == "Pod") seen.owned_pods.clear();
  if (kind == "Job") seen.jobs.clear();
}

// What the plan creates, as `Kind name` each; at the end, what waits until the Job is recorded.
inline std::vector<std::string> names(const Plan& todo) {
  std::vector<std::string> out;
  for (const auto* list : {&todo.create, &todo.create_once_recorded}) {
    for (const Create& create : *list) {
      out.push_back(create.object["kind"].get<std::string>() + " " +
                    create.object["metadata"]["name"].get<std::string>());
    }
  }
  return out;
}

// The Job of cluster(), with a merge patch applied.
inline json job(const char* patch = "{}") {
  json object = json::parse(R"({
    "kind": "Job", "metadata": {"name": "sample", "namespace": "lab", "uid": "job-uid"},
    "spec": {"completions": 2, "parallelism": 2, "suspend": false, "backoffLimit": 100,
             "activeDeadlineSeconds": 31500000, "podFailurePolicy": {}, "successPolicy": {}},
    "status": {}})");
  object["metadata"]["labels"] =
      planned(observed(cluster())).create.back().object["metadata"]["labels"];
  object.merge_patch(json::parse(patch));
  return object;
}

// A pod of that Job as the API server sends it, with a merge patch applied.
inline json sent_pod(const char* index, const char* patch = "{}") {
  json object = json::parse(R"({"kind": "Pod", "metadata": {"namespace": "lab"}, "status": {}})");
  object["metadata"]["name"] = std::string("sample-") + index;
  object["metadata"]["labels"] = {{api::kJobIndexLabel, index}, {api::kIndexLabel, index}};
  object.merge_patch(json::parse(patch));
  return object;
}
inline Shared<Pod> pod(const char* index, const char* patch = "{}") {
  return shared(read_pod(sent_pod(index, patch)));
}

// A Job that has ended with this condition.
inline json ended_job(const char* condition) {
  json object = job();
  object["status"]["conditions"] = json::array({{{"type", condition}, {"status", "True"}}});
  return object;
}

}  // namespace mc::controller::test
