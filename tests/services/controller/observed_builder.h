#pragma once
#include <memory>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "services/controller/cache/observed.h"
#include "services/controller/cache/reduce.h"
#include "services/controller/reconcile/job_record.h"
#include "services/controller/reconcile/plan.h"

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

inline Observed observed(json cluster_object, std::vector<json> owned = {}) {
  Observed out;
  out.cluster = std::make_shared<const json>(std::move(cluster_object));
  for (json& object : owned) out.owned.push_back(std::make_shared<const json>(std::move(object)));
  return out;
}

inline api::Examination examined(const Observed& seen) {
  return examine(seen, api::FieldValidation::Strict);
}

// 2026-01-01T00:00:00Z.
inline const Now kNow = std::chrono::system_clock::from_time_t(1767225600);

inline Plan planned(const Observed& seen, Now now = kNow) {
  return plan(seen, examined(seen), now, [] { return std::string("fresh certificate"); });
}

// What the controller observes once the plan's objects are created. It never sees Secrets.
inline Observed after(const Observed& seen, const Plan& todo) {
  Observed out = seen;
  for (const Create& create : todo.create) {
    if (create.object["kind"] == "Secret") continue;
    out.owned.push_back(std::make_shared<const json>(create.object));
  }
  return out;
}

// What the plan creates, as `Kind name` each.
inline std::vector<std::string> names(const Plan& todo) {
  std::vector<std::string> out;
  for (const Create& create : todo.create) {
    out.push_back(create.object["kind"].get<std::string>() + " " +
                  create.object["metadata"]["name"].get<std::string>());
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
      plan(observed(cluster()), examined(observed(cluster())), kNow, [] { return ""; })
          .create.back()
          .object["metadata"]["labels"];
  object.merge_patch(json::parse(patch));
  return object;
}

// A pod of that Job, with a merge patch applied.
inline Snapshot pod(const char* index, const char* patch = "{}") {
  json object = json::parse(R"({"kind": "Pod", "metadata": {"namespace": "lab"}, "status": {}})");
  object["metadata"]["name"] = std::string("sample-") + index;
  object["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] = index;
  object.merge_patch(json::parse(patch));
  return std::make_shared<const json>(reduce_pod(object));
}

// A Job that has ended with this condition.
inline json ended_job(const char* condition) {
  json object = job();
  object["status"]["conditions"] = json::array({{{"type", condition}, {"status", "True"}}});
  return object;
}

}  // namespace mc::controller::test
