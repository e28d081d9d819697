#include "services/controller/reconcile/plan_pods.h"

#include <chrono>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/render/exit_codes.h"
#include "services/controller/cache/pod_view.h"
#include "services/controller/status/ends.h"
#include "services/controller/status/job_conditions.h"
#include "services/controller/status/pod_problems.h"

namespace mc::controller {
namespace {

// Adds the number of admitted pods to what is written to the lead's pod. A lead belongs to one
// admission: it is deleted before the Job is admitted again.
void add_admission(const json& lead, const json& job, json& metadata) {
  if (!has_partial_admission(job) || is_suspended(job)) return;
  const std::string size = std::to_string(integer_at(job, {"spec", "completions"}));
  if (annotation(lead, api::kAdmittedAnnotation) == size) return;
  metadata["annotations"] = {{api::kAdmittedAnnotation, size}};
}

bool may_run(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return !is_deleted(pod) && phase != "Succeeded" && phase != "Failed";
}

// The Job makes another pod only once this one has ended.
void plan_retry_of_held(const json& pod, const std::string& runner, TimePoint now, Plan& out) {
  if (held_by(pod, runner).empty()) return;
  const json& container = *container_of(pod, runner);
  if (!render::is_retried(exit_code(container))) return;
  if (!is_grace_over(text_at(container, {"ended", "finishedAt"}), now, out)) return;
  out.remove.push_back(target_of(pod));
}

}  // namespace

bool is_grace_over(const std::string& ended, TimePoint now, Plan& out) {
  const TimePoint due = parse_rfc3339(ended).value_or(now) + kGraceOfOthers;
  if (due <= now) return true;
  const auto left = std::chrono::ceil<std::chrono::seconds>(due - now);
  if (!out.requeue_after || left < *out.requeue_after) out.requeue_after = left;
  return false;
}

void plan_pods(const Observed& observed, const json& job, const api::MiniCluster& cluster,
               TimePoint now, Plan& out) {
  const json* lead = lead_pod(observed.pods);
  const std::string runner = api::runner_container_name(cluster);
  for (const Snapshot& pod : observed.pods) {
    plan_retry_of_held(*pod, runner, now, out);
    const bool is_lead = pod.get() == lead;
    json metadata;
    if ((is_lead || observed.index_labels == IndexLabels::All) && may_run(*pod) &&
        !has_index_label(*pod)) {
      metadata["labels"] = {{api::kIndexLabel, std::to_string(index_of(*pod))}};
    }
    if (is_lead) add_admission(*lead, job, metadata);
    if (!metadata.is_null()) out.patch.push_back({target_of(*pod), {{"metadata", metadata}}});
  }
}

}  // namespace mc::controller
