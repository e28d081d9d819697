#include "services/controller/interpret/job_view.h"

#include <algorithm>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/text.h"
#include "services/controller/interpret/deadlock_release.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/pod_problems.h"

namespace mc::controller {
namespace {

// From the pods, or else from the message of the Job.
api::Condition failed(const Observed& observed, const Job& job, const Reason& why,
                      const Runner& runner) {
  const auto& [reason, message] = why;
  if (auto found = failure(observed.pods, runner)) return *found;
  if (auto found = failure_in(message, job.metadata.name, runner)) return *found;
  const auto memory = out_of_memory(observed.pods, false);
  if (memory && reason == api::kReasonBackoffLimitExceeded) {
    return failed_with(api::kReasonOomKilled, message + "; " + *memory + ".");
  }
  const auto found = pod_problem(observed.pods, observed.mount_failures);
  return failed_as(reason, message + (found ? "; " + found->message : ""));
}

}  // namespace

bool has_queue(const Job& job) {
  const SharedText* queue = find_label(job.labels, api::kQueueLabel);
  return queue != nullptr && !queue->empty();
}

bool has_ended(const Job& job) {
  return job.conditions.complete || job.conditions.failed || kept_end(job);
}

bool has_partial_admission(const Job& job) { return job.notes.quorum == api::kQuorumOfAdmission; }

std::int64_t quorum_of(const Job& job, const api::Spec& spec) {
  if (has_partial_admission(job)) return job.completions.value_or(0);
  const std::int64_t made_with = parse_integer(job.notes.quorum).value_or(0);
  if (made_with > 0) return made_with;
  return spec.min_size > 0 ? spec.min_size : spec.size;
}

std::int64_t preemptions_of(const Job& job) {
  return std::max<std::int64_t>(parse_integer(job.notes.preemptions).value_or(0), 0);
}

bool was_preempted(const Job& job) { return job.notes.preempted == "true"; }

bool is_preemptible(const MiniCluster& cluster, const Job& job) {
  return job.notes.quota.empty() && !has_queue(job) &&
         preemptions_of(job) < cluster.max_preemptions;
}

bool waits_for_quota(const Job& job) {
  return job.is_suspended && (job.notes.quota == api::kWaitsForQuota || release_of(job));
}

std::optional<Reason> why_suspended(const Observed& observed, const Job& job) {
  if (!job.is_suspended || job.notes.suspended == "true") {
    return std::nullopt;
  }
  if (observed.workloads.empty()) return std::nullopt;
  return observed.workloads.front()->why;
}

std::int64_t ready_pods(const Observed& observed, const Job& job) {
  const std::int64_t counted = job.ready;
  const Readiness now = readiness(observed.pods, observed.counted);
  return now.lead && !now.has_lost ? counted : std::min(counted, now.pods);
}

std::optional<api::Condition> ended(const Observed& observed, const Job& job,
                                    const api::MiniCluster& cluster) {
  if (job.conditions.complete) {
    const Runner runner = runner_of(cluster);
    const std::string snippet = snippet_that_ended(observed.pods, runner);
    return succeeded(snippet.empty()
                         ? "The lead broker's command ended with code 0." +
                               singletons(observed.pods, runner)
                         : "The " + snippet +
                               " snippet ended the lead's container with code 0; the command "
                               "was not run.");
  }
  const auto& why = job.conditions.failed;
  // A suspended Job that was made to give up never reaches its end, and has no pods.
  if (!why && !job.is_suspended) return std::nullopt;
  if (auto kept = kept_end(job)) return kept;
  if (!why) return std::nullopt;
  const Runner runner = runner_of(cluster);
  if (is_end_on_its_way(why->message, observed.pods, runner)) return std::nullopt;
  return failed(observed, job, *why, runner);
}

}  // namespace mc::controller
