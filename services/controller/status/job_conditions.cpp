#include "services/controller/status/job_conditions.h"

#include <algorithm>

#include "common/api/model/names.h"
#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "services/controller/interpret/deadlock_release.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/lost_node.h"
#include "services/controller/interpret/pod_problems.h"
#include "services/controller/status/quota_remedy.h"
#include "services/controller/status/start_promise.h"

namespace mc::controller {
namespace {

api::Condition not_ready(api::KnownReason reason, std::string message) {
  return {std::string(api::kReady), false, reason, std::move(message)};
}

std::string pods_of(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " pod is" : " pods are");
}

// True if the lead started after the cluster was made smaller than its quorum: it waits for pods
// that will never exist.
bool waits_in_vain(const Observed& observed, const Job& job) {
  const auto shrunk = parse_rfc3339(job.notes.shrunk_at);
  if (!shrunk) return false;
  const Pod* lead = lead_pod(observed.pods);
  return lead == nullptr || (lead->started && *lead->started > *shrunk);
}

// The input of the rules of Ready below, of which the first that applies decides.
struct ReadyFacts {
  const Observed& observed;
  const Job& job;
  const api::MiniCluster& cluster;
  const Runner runner;
  std::int64_t size;    // pods that the Job has now
  std::int64_t quorum;  // see quorum_of()
  std::int64_t needed;  // the smaller of both
};
using MaybeCondition = std::optional<api::Condition>;

MaybeCondition finished(const ReadyFacts& facts) {
  if (!has_ended(facts.job)) return std::nullopt;
  return not_ready(api::kReasonFinished, "The MiniCluster has ended.");
}

// The Job controller reports the end only after the pods have ended.
MaybeCondition finishing(const ReadyFacts& facts) {
  if (!has_command_ended(facts.observed.pods, facts.runner)) return std::nullopt;
  const std::string snippet = snippet_that_ended(facts.observed.pods, facts.runner);
  return not_ready(api::kReasonFinished,
                   (snippet.empty() ? "The command has ended"
                                    : "The " + snippet + " snippet ended its container") +
                       std::string(", and the pods are about to end."));
}

// The Job controller deletes the pods between its decision and the end, for example at a deadline.
MaybeCondition decided(const ReadyFacts& facts) {
  constexpr const char* kAreEnding = ", and its pods are about to end.";
  if (facts.job.conditions.success_criteria_met) {
    return not_ready(api::kReasonFinished, std::string("The Job has succeeded") + kAreEnding);
  }
  if (!facts.job.conditions.failure_target) return std::nullopt;
  const std::string& reason = facts.job.conditions.failure_target->reason;
  return not_ready(api::kReasonFinished,
                   "The Job has failed" + (reason.empty() ? "" : " (" + reason + ")") + kAreEnding);
}

MaybeCondition not_started(const ReadyFacts& facts) {
  if (!facts.job.is_suspended) return std::nullopt;
  if (auto why = why_suspended(facts.observed, facts.job)) {
    api::Condition out = not_ready(api::kReasonQueued, std::move(why->message));
    out.reason = std::move(why->reason);  // Kueue's
    return out;
  }
  return not_ready(api::kReasonSuspended, "The Job is suspended and has no pods.");
}

MaybeCondition quorum_unreachable(const ReadyFacts& facts) {
  if (facts.size >= facts.quorum || !waits_in_vain(facts.observed, facts.job)) return std::nullopt;
  const std::string quorum = std::to_string(facts.quorum);
  return not_ready(api::kReasonQuorumUnreachable,
                   "The lead broker waits for " + quorum +
                       " brokers, but the MiniCluster was scaled down to " +
                       std::to_string(facts.size) + ". Raise spec.size to " + quorum +
                       ", or delete the MiniCluster and create it again.");
}

// Both by the Job's own count, which is updated in steps, and by the pods, which show first that
// one has ended.
MaybeCondition quorum_reached(const ReadyFacts& facts) {
  const Readiness now = readiness(facts.observed.pods, facts.observed.counted);
  const bool is_there = facts.job.ready >= facts.needed && now.pods >= facts.needed &&
                        (now.lead || !facts.runner.has_lead);
  if (!is_there) return std::nullopt;
  return api::Condition{
      std::string(api::kReady), true, api::kReasonQuorumReached,
      "At least " + pods_of(facts.needed) + " ready, which is enough for the command."};
}

MaybeCondition node_is_lost(const ReadyFacts& facts) {
  if (!facts.observed.lost_node) return std::nullopt;
  PodProblem problem = problem_of(*facts.observed.lost_node);
  return not_ready(problem.reason, std::move(problem.message));
}

MaybeCondition pod_has_problem(const ReadyFacts& facts) {
  auto found = pod_problem(facts.observed.pods, facts.observed.mount_failures);
  if (!found) return std::nullopt;
  const std::string& other = facts.observed.in_part_with;
  if (found->reason == api::KnownReason(api::kReasonUnschedulable) && !other.empty()) {
    found->message +=
        " MiniCluster " + other +
        " also has nodes for only some of its pods, so both may wait forever. Suspend or delete "
        "one "
        "of them. Gang scheduling or the limits of a FluxSetup prevent this (docs/scheduling.md).";
  }
  return not_ready(found->reason, std::move(found->message));
}

MaybeCondition pods_refused(const ReadyFacts& facts) {
  const bool are_missing = facts.job.active < facts.job.parallelism.value_or(0);
  auto refused = refused_pods(facts.observed.refusals, facts.observed.pods, facts.observed.counted);
  if (!are_missing || !refused) return std::nullopt;
  return not_ready(refused->reason,
                   refused->message + remedy_of_quota(refused->message, facts.cluster));
}

// Of one that waits: why it does, if it ran before.
api::Condition with_preemption(api::Condition waits, const Observed& observed, const Job& job) {
  if (!was_preempted(job)) return waits;
  if (waits.reason == api::kReasonWaiting) waits.reason = api::kReasonPreempted;
  waits.message = "Suspended so that a MiniCluster with a higher priority can run (suspension " +
                  std::to_string(preemptions_of(job)) + " of at most " +
                  std::to_string(observed.cluster->max_preemptions) + "). " + waits.message;
  return waits;
}

}  // namespace

std::optional<api::Condition> quota_reserved(const Observed& observed, const Job& job,
                                             bool was_past) {
  const std::string type(api::kQuotaReserved);
  if (has_queue(job)) return std::nullopt;
  if (was_past) {
    return api::Condition{type, false, api::kReasonResumedPastQuota,
                          "Another client resumed the Job past the limits of the FluxSetup. The "
                          "Job is suspended again and waits."};
  }
  if (const auto release = release_of(job)) {
    return api::Condition{type, false, api::kReasonReleased,
                          "This MiniCluster and " + release->other +
                              " had nodes for only some of their pods. This one is younger, so its "
                              "pods were deleted. It returns to the queue at " +
                              rfc3339(release->at + kReleasedFor) + "."};
  }
  if (waits_for_quota(job)) {
    const api::Condition undecided{type, false, api::kReasonWaiting,
                                   "The queue has not decided yet."};
    return with_promise(
        with_preemption(observed.quota.condition.value_or(undecided), observed, job),
        *observed.cluster);
  }
  if (!observed.quota.limited) {
    const auto& before = observed.cluster->status.conditions;
    if (api::find_condition(before, type) == nullptr) return std::nullopt;
    return api::Condition{type, true, api::kReasonNotLimited, "No FluxSetup limits MiniClusters."};
  }
  if (job.is_suspended) {
    return api::Condition{
        type, false, api::kReasonSuspended,
        "A suspended Job reserves nothing. It waits in the queue once it is resumed."};
  }
  if (observed.quota.condition) return observed.quota.condition;
  return api::Condition{type, true, api::kReasonReserved,
                        "The MiniCluster runs within the limits of the FluxSetup."};
}

std::optional<api::Condition> suspended(const Observed& observed, const Job& job) {
  const std::string type(api::kSuspended);
  if (!job.is_suspended) {
    const auto& before = observed.cluster->status.conditions;
    if (api::find_condition(before, type) == nullptr) return std::nullopt;
    return api::Condition{type, false, api::kReasonResumed, "The Job is not suspended."};
  }
  if (job.notes.suspended == "true") {
    return api::Condition{type, true, api::kReasonSuspended,
                          "spec.suspend is true; the Job has no pods."};
  }
  if (waits_for_quota(job)) {
    return api::Condition{type, true, api::kReasonWaiting,
                          "The Job waits for the limits of a FluxSetup; it has no pods."};
  }
  if (auto why = why_suspended(observed, job)) {
    return api::Condition{type, true, api::kReasonQueued, std::move(why->message)};
  }
  return api::Condition{
      type, true, api::kReasonQueued,
      "A queueing system or another client has suspended the Job; it has no pods."};
}

api::Condition ready(const Observed& observed, const Job& job, const api::MiniCluster& cluster) {
  const std::int64_t size = job.completions.value_or(0);
  const std::int64_t quorum = quorum_of(job, cluster.spec);
  const ReadyFacts facts{.observed = observed,
                         .job = job,
                         .cluster = cluster,
                         .runner = runner_of(cluster),
                         .size = size,
                         .quorum = quorum,
                         .needed = std::min(size, quorum)};
  for (const auto rule : {finished, finishing, decided, not_started, quorum_unreachable,
                          quorum_reached, node_is_lost, pod_has_problem, pods_refused}) {
    if (auto found = rule(facts)) return *found;
  }
  return not_ready(api::kReasonStarting,
                   "The command starts when " + pods_of(facts.needed) + " ready.");
}

}  // namespace mc::controller
