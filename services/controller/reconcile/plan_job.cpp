#include "services/controller/reconcile/plan_job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/render/pod_group.h"
#include "services/controller/cluster/end_text.h"
#include "services/controller/interpret/deadlock_release.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/reconcile/drift.h"
#include "services/controller/reconcile/job_change.h"
#include "services/controller/reconcile/plan_pods.h"

namespace mc::controller {
namespace {

// True if a queueing system decides when this Job runs and how many pods it has, also while the Job
// has lost the label.
bool is_queued(const Job& job, const json& wanted) { return has_queue(job) || has_queue(wanted); }

// Whether the Job may run now with observed.quota.granted pods.
bool is_granted(const Observed& observed, const Job& job) {
  return !observed.quota.job.empty() && observed.quota.job == job.metadata.uid;
}

// The pods that the Job may have: as many as the spec says while it stays suspended, and otherwise
// no more than it has and a FluxSetup's limits grant.
std::int64_t allowed_size(const Observed& observed, const Job& job, const api::Spec& spec) {
  const std::int64_t wanted = spec.size;
  const bool granted = is_granted(observed, job);
  const bool stays_suspended = job.is_suspended && (!granted || spec.suspend);
  if (!observed.quota.limited || stays_suspended) return wanted;
  const std::int64_t has = job.is_suspended ? 0 : job.parallelism.value_or(1);
  return std::min(wanted, std::max(has, granted ? observed.quota.granted : 0));
}

// Sets an annotation of the Job, "" for none; leaves the patch alone if it is `there` so.
void set_annotation(std::string_view there, std::string_view name, std::string_view value,
                    json& patch) {
  if (there == value) return;
  patch["metadata"]["annotations"][name] = value.empty() ? json() : json(value);
}

// Completions and parallelism follow spec.size. What a queueing system changed on admission stays
// until the user changes the size.
void plan_size(const Observed& observed, const Job& job, bool queued,
               const api::MiniCluster& cluster, TimePoint now, json& patch) {
  const std::int64_t size = queued ? cluster.spec.size : allowed_size(observed, job, cluster.spec);
  const bool as_asked = queued ? job.notes.size == std::to_string(size)
                               : job.completions == size && job.parallelism == size;
  if (as_asked) return;
  patch["spec"].update({{"completions", size}, {"parallelism", size}});
  json& annotations = patch["metadata"]["annotations"];
  annotations[api::kSizeAnnotation] = std::to_string(size);
  // The scripts that are not made yet will have the quorum of this size.
  if (observed.find_config_map(api::config_map_name(cluster)) == nullptr) {
    return set_annotation(job.notes.quorum, api::kQuorumAnnotation, applied_quorum(cluster), patch);
  }
  const std::int64_t quorum = has_partial_admission(job) ? size : quorum_of(job, cluster.spec);
  const bool was_shrunk = !job.notes.shrunk_at.empty();
  if (size < quorum && !was_shrunk) annotations[api::kShrunkAtAnnotation] = rfc3339(now);
  if (size >= quorum && was_shrunk) annotations[api::kShrunkAtAnnotation] = nullptr;
}

void set_suspend(const Job& job, bool suspend, json& patch) {
  if (job.is_suspended != suspend) patch["spec"]["suspend"] = suspend;
}

// The command may have ended a moment before, and then its end counts.
bool is_to_be_preempted(const Observed& observed, const Job& job, const api::MiniCluster& cluster) {
  return observed.quota.limited && observed.quota.preempted == job.metadata.uid &&
         !job.is_suspended && is_preemptible(*observed.cluster, job) && !has_ended(job) &&
         !job.conditions.success_criteria_met && !job.conditions.failure_target &&
         !has_command_ended(observed.pods, runner_of(cluster));
}

// What a FluxSetup's limits say about a Job that nobody wants suspended: it starts once that is
// granted, and only then; if somebody else resumes it, it is suspended again.
void plan_quota(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
                TimePoint now, json& patch, Plan& out) {
  const std::string& state = job.notes.quota;
  if (is_to_be_released(observed, job)) {
    const Time at = std::chrono::floor<std::chrono::seconds>(now);
    set_suspend(job, true, patch);
    return set_annotation(state, api::kQuotaAnnotation,
                          release_note({.at = at, .other = observed.in_part_with}), patch);
  }
  if (is_to_be_preempted(observed, job, cluster)) {
    set_suspend(job, true, patch);
    set_annotation(state, api::kQuotaAnnotation, api::kWaitsForQuota, patch);
    set_annotation(job.notes.preempted, api::kPreemptedAnnotation, "true", patch);
    return set_annotation(job.notes.preemptions, api::kPreemptionsAnnotation,
                          std::to_string(preemptions_of(job) + 1), patch);
  }
  const auto release = release_of(job);
  if (release && observed.quota.limited) {
    if (is_due(release->at + kReleasedFor, now, out)) {
      set_annotation(state, api::kQuotaAnnotation, api::kWaitsForQuota, patch);
    }
    return;
  }
  const bool starts = !observed.quota.limited || is_granted(observed, job);
  if ((state == api::kWaitsForQuota || release) && starts) {
    set_suspend(job, false, patch);
    set_annotation(job.notes.quota, api::kQuotaAnnotation, "", patch);
    set_annotation(job.notes.preempted, api::kPreemptedAnnotation, "", patch);
  } else if (!observed.quota.limited) {
    set_annotation(job.notes.quota, api::kQuotaAnnotation, "", patch);
  } else if (!job.is_suspended && !state.empty()) {
    out.was_past_quota = true;
    set_suspend(job, true, patch);
    set_annotation(job.notes.quota, api::kQuotaAnnotation, api::kWaitsForQuota, patch);
  } else if (job.is_suspended && state.empty()) {
    set_annotation(job.notes.quota, api::kQuotaAnnotation, api::kQuotaGone, patch);
  }
}

// Resumes only a Job that we suspended. Not for a Job of a queueing system.
void plan_suspension(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
                     TimePoint now, json& patch, Plan& out) {
  const bool ours = job.notes.suspended == "true";
  if (cluster.spec.suspend) {
    set_suspend(job, true, patch);
    set_annotation(job.notes.suspended, api::kSuspendedAnnotation, "true", patch);
    set_annotation(job.notes.quota, api::kQuotaAnnotation, "", patch);
    set_annotation(job.notes.preempted, api::kPreemptedAnnotation, "", patch);
  } else if (!ours) {
    plan_quota(observed, job, cluster, now, patch, out);
  } else {
    set_annotation(job.notes.suspended, api::kSuspendedAnnotation, "", patch);
    set_suspend(job, observed.quota.limited, patch);
    set_annotation(job.notes.quota, api::kQuotaAnnotation,
                   observed.quota.limited ? api::kWaitsForQuota : std::string_view(), patch);
  }
}

// An end that the Job does not reach by itself. With restartPolicy OnFailure it has no failure
// policy, and the kubelet restarts a container whose command has failed (which then ends with the
// same code at once, broker.sh).
std::optional<api::Condition> end_to_give_up_for(const Observed& observed, const Job& job,
                                                 const api::MiniCluster& cluster) {
  const Runner runner = runner_of(cluster);
  if (auto end = end_of_a_lost_lead(observed.pods, runner)) return end;
  const auto failed = failure(observed.pods, runner);
  if (failed) return job.restarts_on_failure ? failed : std::nullopt;
  return end_by_memory(observed.pods);
}

// The end that a container of somebody else has kept from the Job for longer than it may; before
// that, `out` says when to look again.
std::optional<api::Condition> end_that_was_held(const Observed& observed,
                                                const api::MiniCluster& cluster, TimePoint now,
                                                Plan& out) {
  const auto held = held_end(observed.pods, runner_of(cluster));
  if (!held) return std::nullopt;
  return is_grace_over(held->since, now, out) ? std::optional(held->end) : std::nullopt;
}

// Makes the Job give up: no retries, and running pods end. An annotation keeps the end of the
// MiniCluster. This is permanent: neither another leader nor an edit of the Job undoes it.
void plan_failure(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
                  TimePoint now, json& patch, Plan& out) {
  const bool has_given_up = kept_end(job).has_value();
  auto end = has_given_up ? std::nullopt : end_to_give_up_for(observed, job, cluster);
  if (!has_given_up && !end) end = end_that_was_held(observed, cluster, now, out);
  if (!has_given_up && !end) return;
  const auto limit = [&](const char* member, std::optional<std::int64_t> there, int value) {
    if (patch.contains("spec")) patch["spec"].erase(member);
    if (there != value) patch["spec"][member] = value;
  };
  limit("backoffLimit", job.backoff_limit, 0);
  limit("activeDeadlineSeconds", job.deadline ? std::optional(job.deadline->count()) : std::nullopt,
        1);
  if (end) patch["metadata"]["annotations"][api::kEndAnnotation] = end_text(*end);
}

void add_patch(const Job& job, json patch, Plan& out) {
  if (patch.contains("spec") && patch["spec"].empty()) patch.erase("spec");
  if (!patch.is_null() && !patch.empty()) out.patch.push_back({version_of(job), std::move(patch)});
}

}  // namespace

bool has_queue(const json& wanted_job) {
  return !text_at(wanted_job, {"metadata", "labels", api::kQueueLabel}).empty();
}

void plan_job(const Observed& observed, const Job& job, const json& wanted,
              const api::MiniCluster& cluster, TimePoint now, Plan& out) {
  json patch = drift(wanted, job);
  const bool queued = is_queued(job, wanted);
  if (!queued && !kept_end(job)) plan_suspension(observed, job, cluster, now, patch, out);
  const bool may_size_be_refused = !render::is_resizable(cluster.pod_group.api_version);
  if (!may_size_be_refused || !at_path(patch, {"spec", "suspend"}).is_boolean()) {
    plan_size(observed, job, queued, cluster, now, patch);
  }
  plan_failure(observed, job, cluster, now, patch, out);
  add_patch(job, std::move(patch), out);
  plan_pods(observed, job, cluster, now, out);
}

void plan_job_as_it_is(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
                       TimePoint now, Plan& out) {
  json patch;
  const bool is_limited = !job.notes.quota.empty() || !observed.quota.preempted.empty();
  if (is_limited && !kept_end(job)) plan_quota(observed, job, cluster, now, patch, out);
  plan_failure(observed, job, cluster, now, patch, out);
  add_patch(job, std::move(patch), out);
  plan_pods(observed, job, cluster, now, out);
}

void prepare_job(json& job, const Observed& observed, const api::Examination& examination) {
  const api::Spec& spec = examination.cluster.spec;
  const bool limited = observed.quota.limited;
  json& annotations = job["metadata"]["annotations"];
  for (const auto& [key, value] : applied_spec(observed, examination)) annotations[key] = value;
  annotations[api::kSizeAnnotation] = std::to_string(spec.size);
  const bool queued = has_queue(job);
  if (spec.suspend && !queued) annotations[api::kSuspendedAnnotation] = "true";
  if (limited && !spec.suspend && !queued) annotations[api::kQuotaAnnotation] = api::kWaitsForQuota;
}

}  // namespace mc::controller
