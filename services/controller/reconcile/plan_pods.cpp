#include "services/controller/reconcile/plan_pods.h"

#include <chrono>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/render/exit_codes.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/pod_problems.h"
#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

// Adds the number of admitted pods to what is written to the lead's pod. A lead belongs to one
// admission: it is deleted before the Job is admitted again.
void add_admission(const Pod& lead, const Job& job, json& metadata) {
  if (!has_partial_admission(job) || job.is_suspended) return;
  const std::string size = std::to_string(job.completions.value_or(0));
  if (lead.admitted == size) return;
  metadata["annotations"] = {{api::kAdmittedAnnotation, size}};
}

bool may_run(const Pod& pod) { return !is_deleted(pod.metadata) && !is_over(pod); }

// The Job makes another pod only once this one has ended.
void plan_retry_of_held(const Pod& pod, const std::string& runner, TimePoint now, Plan& out) {
  if (held_by(pod, runner).empty()) return;
  const Container& container = *container_of(pod, runner);
  if (!render::is_retried(exit_code(container))) return;
  if (!is_grace_over(end_time(container), now, out)) return;
  out.remove.push_back(version_of(pod));
}

}  // namespace

bool is_due(TimePoint due, TimePoint now, Plan& out) {
  if (due <= now) return true;
  const auto left = std::chrono::ceil<std::chrono::seconds>(due - now);
  if (!out.requeue_after || left < *out.requeue_after) out.requeue_after = left;
  return false;
}

bool is_grace_over(const std::optional<Time>& ended, TimePoint now, Plan& out) {
  return is_due((ended ? TimePoint(*ended) : now) + kGraceOfOthers, now, out);
}

void plan_pods(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
               TimePoint now, Plan& out) {
  const Pod* lead = lead_pod(observed.pods);
  const std::string runner = api::runner_container_name(cluster);
  for (const Shared<Pod>& pod : observed.pods) {
    plan_retry_of_held(*pod, runner, now, out);
    const bool is_lead = pod.get() == lead;
    json metadata;
    if ((is_lead || observed.index_labels == IndexLabels::All) && may_run(*pod) &&
        !has_index_label(*pod)) {
      metadata["labels"] = {{api::kIndexLabel, std::to_string(pod->index)}};
    }
    if (is_lead) add_admission(*lead, job, metadata);
    if (!metadata.is_null()) out.patch.push_back({version_of(*pod), {{"metadata", metadata}}});
  }
}

}  // namespace mc::controller
