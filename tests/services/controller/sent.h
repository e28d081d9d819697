#pragma once
#include <string>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "services/controller/cluster/read.h"
#include "services/controller/cluster/types.h"

namespace mc::controller::test {

// The MiniCluster as the API server would send it.
inline json sent_cluster(const MiniCluster& cluster) {
  json out = as_written(cluster);
  out["metadata"]["resourceVersion"] = cluster.metadata.resource_version;
  if (const auto& created = cluster.metadata.created) {
    out["metadata"]["creationTimestamp"] = rfc3339(*created);
  }
  if (cluster.status != ClusterStatus()) out["status"] = to_json(cluster.status);
  return out;
}

// The Job as the API server would send it: what read_job() reads, so that a test can change it by a
// merge patch.
inline json sent_job(const Job& job) {
  json out = {{"kind", "Job"},
              {"metadata",
               {{"name", job.metadata.name},
                {"namespace", job.metadata.ns},
                {"uid", job.metadata.uid},
                {"resourceVersion", job.metadata.resource_version},
                {"labels", json::object()},
                {"ownerReferences", json::array({{{"kind", job.metadata.owner.kind},
                                                  {"name", job.metadata.owner.name},
                                                  {"uid", job.metadata.owner.uid},
                                                  {"controller", true}}})}}},
              {"spec", {{"suspend", job.is_suspended}}},
              {"status",
               {{"ready", job.ready},
                {"active", job.active},
                {"succeeded", job.succeeded},
                {"failed", job.failed},
                {"terminating", job.terminating},
                {"conditions", json::array()}}}};
  for (const auto& [key, value] : job.labels) out["metadata"]["labels"][key.str()] = value.str();
  const auto time = [](json& at, const char* name, const std::optional<Time>& value) {
    if (value) at[name] = rfc3339(*value);
  };
  time(out["metadata"], "creationTimestamp", job.metadata.created);
  time(out["metadata"], "deletionTimestamp", job.metadata.deletion);
  time(out["status"], "startTime", job.started);
  time(out["status"], "completionTime", job.completed);
  const auto note = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out["metadata"]["annotations"][name] = value;
  };
  note(api::kMaxSizeAnnotation, job.notes.max_size);
  note(api::kQuorumAnnotation, job.notes.quorum);
  note(api::kDefaultsAnnotation, job.notes.defaults);
  note(api::kSpecAnnotation, job.notes.spec);
  note(api::kSizeAnnotation, job.notes.size);
  note(api::kQuotaAnnotation, job.notes.quota);
  note(api::kSuspendedAnnotation, job.notes.suspended);
  note(api::kShrunkAtAnnotation, job.notes.shrunk_at);
  note(api::kScriptsAnnotation, job.notes.scripts);
  note(api::kEndAnnotation, job.notes.end);
  note(api::kFailureAnnotation, job.notes.failure);
  note(api::kDroppedAnnotation, job.notes.dropped);
  note(api::kPodGroupAnnotation, job.notes.pod_group);
  note(api::kPreemptionsAnnotation, job.notes.preemptions);
  note(api::kPreemptedAnnotation, job.notes.preempted);
  json& spec = out["spec"];
  if (job.completions) spec["completions"] = *job.completions;
  if (job.parallelism) spec["parallelism"] = *job.parallelism;
  if (job.backoff_limit) spec["backoffLimit"] = *job.backoff_limit;
  if (job.deadline) spec["activeDeadlineSeconds"] = job.deadline->count();
  if (job.has_pod_failure_policy) spec["podFailurePolicy"] = json::object();
  if (job.has_success_policy) spec["successPolicy"] = json::object();
  json& pod = spec["template"]["spec"];
  pod["restartPolicy"] = job.restarts_on_failure ? "OnFailure" : "Never";
  if (job.grace) pod["terminationGracePeriodSeconds"] = job.grace->count();
  json container = {{"name", "sample"}};
  for (const auto& [name, amount] : job.requests) {
    container["resources"]["requests"][name] = amount.str();
  }
  pod["containers"] = json::array({container});
  const auto condition = [&](const char* type, const Rare<Reason>& why) {
    if (!why) return;
    out["status"]["conditions"].push_back(
        {{"type", type}, {"status", "True"}, {"reason", why->reason}, {"message", why->message}});
  };
  condition("Complete", job.conditions.complete);
  condition("Failed", job.conditions.failed);
  condition("SuccessCriteriaMet", job.conditions.success_criteria_met);
  condition("FailureTarget", job.conditions.failure_target);
  condition("Suspended", job.conditions.suspended);
  return out;
}

}  // namespace mc::controller::test
