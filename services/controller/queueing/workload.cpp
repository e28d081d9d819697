#include "services/controller/queueing/workload.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/api/examine.h"
#include "common/api/model/names.h"
#include "common/render/pod.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/reconcile/examinations.h"
#include "services/controller/reconcile/job_change.h"
#include "services/controller/status/status.h"

namespace mc::controller::queueing {
namespace {

using api::add_amounts;
using api::Amounts;
using api::Quantity;
using std::chrono::seconds;

// From the decision until the Job controller has set the start time of the Job.
constexpr seconds kUntilItRuns{60};

constexpr seconds kUsualGrace{30};  // the API server's default
constexpr seconds kLongestGrace = std::chrono::years(10);

Amounts with_counts(Amounts amounts, std::int64_t pods) {
  amounts.insert_or_assign(std::string(kPodCount), Quantity(pods));
  amounts.insert_or_assign(std::string(kMiniClusterCount), Quantity(1));
  return amounts;
}

// A number of pods, which the API server keeps in 32 bits.
std::int64_t count_of(std::int64_t pods) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return std::clamp<std::int64_t>(pods, 0, kMost);
}

// The API server's default is 1.
std::int64_t wanted_pods(const Job& job) { return count_of(job.parallelism.value_or(1)); }

// Whether the Job controller may create pods. It creates none after the first condition that says
// how the Job ends. It has read that the Job is suspended when a condition says so; a Job that was
// created suspended has no start time until it is resumed.
bool may_create_pods(const Job& job) {
  const JobConditions& is = job.conditions;
  if (is.success_criteria_met || is.failure_target || is.complete || is.failed) return false;
  return !job.is_suspended || (job.started && !is.suspended);
}

// The pods that the Job has, as far as its status says, or may still have.
std::int64_t pods_of(const Job& job) {
  const std::int64_t counted = count_of(job.active) + count_of(job.terminating);
  return may_create_pods(job) ? std::max(wanted_pods(job), counted) : counted;
}

// Adds what these pods hold. Returns how many they are.
std::int64_t add_held(Amounts& sum, const std::vector<EqualPods>& pods) {
  std::int64_t count = 0;
  for (const EqualPods& group : pods) {
    add_amounts(sum, group.requests, group.count);
    count += group.count;
  }
  return count;
}

// A user may set any, also one that cannot be added to a time.
seconds grace_of(const Job& job) {
  return std::clamp(job.grace.value_or(kUsualGrace), seconds(0), kLongestGrace);
}

// How long the Job and its pods last at most; nothing if that is unknown.
std::optional<seconds> longest_of(const Job& job) {
  const seconds deadline = job.deadline.value_or(seconds(0));
  // Nobody chose the default.
  if (deadline.count() <= 0 || deadline.count() >= api::kDefaultDeadlineSeconds) {
    return std::nullopt;
  }
  return deadline + grace_of(job);
}

// Nothing unless it runs. While a resume is under way, the Job still has the start time of its last
// run, or none.
std::optional<Time> start_of(const Job& job) {
  const bool is_resuming = job.conditions.suspended.has_value();
  return job.is_suspended || is_resuming ? std::nullopt : job.started;
}

std::optional<Time> end_of(const Job& job, Time now) {
  if (job.is_suspended) return now + grace_of(job);
  const auto longest = longest_of(job);
  if (!longest) return std::nullopt;
  return start_of(job).value_or(now) + *longest;
}

// The status has both times also of a Job that failed.
std::optional<Run> run_of(const ClusterStatus& status, const Job& job) {
  if (!is_finished(status) || !status.started || !status.completed) return std::nullopt;
  return Run{*status.completed, job.metadata.uid, *status.completed - *status.started,
             longest_of(job)};
}

// Whether the Job will run, or go on running, for this MiniCluster.
bool goes_on(const MiniCluster& cluster, const Job& job) {
  return !is_deleted(cluster.metadata) && !is_deleted(job.metadata) &&
         !is_finished(cluster.status) && !has_ended(job);
}

// What the services pod that the spec wants requests; nothing if it wants none.
std::optional<Amounts> services_pod_of(const Observed& observed) {
  if (!observed.cluster->has_services) return std::nullopt;
  return render::services_pod_requests(examine(observed).cluster);
}

// The size that the Job should have, if a reconcile would apply it.
std::int64_t wanted_size(const Observed& observed) {
  const api::Examination examination = examine(observed);
  const bool applies = examination.errors.empty() &&
                       job_change(observed, examination).fit == JobChange::Fit::Applies;
  return applies ? examination.cluster.spec.size : 0;
}

Request growth_of(const Observed& observed, const Job& job, std::int64_t size) {
  // Cheap, and enough for almost all of them.
  if (observed.cluster->size <= size) return {};
  const std::int64_t wanted = wanted_size(observed);
  if (wanted <= size) return {};
  return {demand_of_pods(job, wanted - size), wanted};
}

void add_requests(const Observed& observed, const Job& job, Workload& out) {
  const MiniCluster& cluster = *observed.cluster;
  if (!goes_on(cluster, job) || has_queue(job)) return;
  if (out.waits && !cluster.is_suspended) {
    out.start = {out.held_back, out.size};
    if (const auto longest = longest_of(job)) out.longest = *longest + kUntilItRuns;
  } else if (out.runs && job.notes.quota.empty()) {
    out.growth = growth_of(observed, job, out.size);
  }
}

HeldPods held_pods(const PodsByOwner& pods, const Job* job, const MiniCluster* cluster) {
  HeldPods out;
  for (const auto& [owner, groups] : pods) {
    const bool is_job = job != nullptr && owner == job->metadata.uid;
    const bool is_services = cluster != nullptr && owner == cluster->metadata.uid;
    auto& to = is_job ? out.job : is_services ? out.services : out.earlier;
    to.insert(to.end(), groups.begin(), groups.end());
  }
  return out;
}

// All but what it asks for, and what only its MiniCluster has.
Workload workload_of_job(const Job& job, const HeldPods& held, const Amounts* services, Time now) {
  Workload out;
  out.used = usage_of(&job, held, services);
  out.end = end_of(job, now);
  out.started = start_of(job);
  out.job = job.metadata.uid;
  out.runs = !job.is_suspended;
  out.waits = !out.runs && job.notes.quota == api::kWaitsForQuota;
  out.size = job.parallelism.value_or(1);
  out.pod = demand_of_pods(job, 1);
  if (out.waits) out.held_back = demand_of(job, services);
  return out;
}

}  // namespace

Amounts demand_of(const Job& job, const Amounts* services_pod) {
  std::int64_t pods = wanted_pods(job);
  Amounts out;
  add_amounts(out, job.requests, pods);
  if (services_pod != nullptr) {
    add_amounts(out, *services_pod);
    ++pods;
  }
  return with_counts(std::move(out), pods);
}

Amounts demand_of_pods(const Job& job, std::int64_t count) {
  Amounts out;
  add_amounts(out, job.requests, count);
  out.insert_or_assign(std::string(kPodCount), Quantity(count));
  return out;
}

Amounts usage_of(const Job* job, const HeldPods& pods, const Amounts* services_pod) {
  Amounts out;
  const std::int64_t of_job = add_held(out, pods.job);
  const std::int64_t of_services = add_held(out, pods.services);
  std::int64_t count = of_job + of_services + add_held(out, pods.earlier);
  if (job != nullptr && pods_of(*job) > of_job) {
    const std::int64_t missing = pods_of(*job) - of_job;
    add_amounts(out, job->requests, missing);
    count += missing;
  }
  const bool comes = services_pod != nullptr && job != nullptr && may_create_pods(*job);
  if (comes && of_services == 0) {
    add_amounts(out, *services_pod);
    ++count;
  }
  return count == 0 ? Amounts() : with_counts(std::move(out), count);
}

Workload workload_of(const Observed* observed, const Job* of_gone, const PodsByOwner& pods,
                     Time now) {
  const MiniCluster* cluster = observed == nullptr ? nullptr : observed->cluster.get();
  const Job* own = observed == nullptr ? nullptr : observed->find_job();
  const Job* job = own == nullptr ? of_gone : own;
  const HeldPods held = held_pods(pods, job, cluster);
  const auto wanted = own == nullptr ? std::nullopt : services_pod_of(*observed);
  Workload out;
  if (job != nullptr) {
    out = workload_of_job(*job, held, wanted ? &*wanted : nullptr, now);
  } else {
    out.used = usage_of(nullptr, held, nullptr);
    if (!out.used.empty()) out.end = now + kUsualGrace;
  }
  if (cluster != nullptr) out.account = cluster->account;
  if (own == nullptr) return out;
  out.ended = run_of(cluster->status, *own);
  out.uid = cluster->metadata.uid;
  out.priority_class = cluster->priority_class;
  out.created = cluster->metadata.created.value_or(Time());
  out.is_preemptible = out.runs && goes_on(*cluster, *own) && is_preemptible(*cluster, *own);
  out.was_preempted = out.waits && was_preempted(*own);
  add_requests(*observed, *own, out);
  return out;
}

}  // namespace mc::controller::queueing
