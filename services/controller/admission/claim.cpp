#include "services/controller/admission/claim.h"

#include <algorithm>

#include "common/api/examine.h"
#include "common/api/model/names.h"
#include "common/api/model/pod_requests.h"
#include "common/render/pod.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/quota/demand.h"
#include "services/controller/reconcile/applied_spec.h"
#include "services/controller/status/status.h"

namespace mc::controller::admission {
namespace {

using std::chrono::seconds;

// From the decision until the Job controller has set the start time of the Job.
constexpr seconds kUntilItRuns{60};

constexpr seconds kUsualGrace{30};  // the API server's default

seconds grace_of(const Job& job) { return job.grace.value_or(kUsualGrace); }

// How long the Job and its pods last at most; nothing if that is unknown.
std::optional<seconds> longest_of(const Job& job) {
  const seconds deadline = job.deadline.value_or(seconds(0));
  // Nobody chose the default.
  if (deadline.count() <= 0 || deadline.count() >= api::kDefaultDeadlineSeconds) {
    return std::nullopt;
  }
  return deadline + grace_of(job);
}

// While a resume is under way, the Job still has the start time of its last run, or none.
std::optional<Time> end_of(const Job& job, Time now) {
  if (job.is_suspended) return now + grace_of(job);
  const auto longest = longest_of(job);
  if (!longest) return std::nullopt;
  const bool is_resuming = job.conditions.suspended.has_value();
  return (job.started && !is_resuming ? *job.started : now) + *longest;
}

// Whether the Job will run, or go on running, for this MiniCluster.
bool goes_on(const MiniCluster& cluster, const Job& job) {
  return !is_deleted(cluster.metadata) && !is_deleted(job.metadata) &&
         !is_finished(cluster.status) && !has_ended(job);
}

// What the services pod that the spec wants requests; nothing if it wants none.
std::optional<api::Amounts> services_pod_of(const Observed& observed) {
  if (!observed.cluster->has_services) return std::nullopt;
  return api::pod_requests(at_path(render::services_pod(examine(observed).cluster), {"spec"}));
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
  return {quota::demand_of_pods(job, wanted - size), wanted};
}

void add_requests(const Observed& observed, const Job& job, Claim& out) {
  const MiniCluster& cluster = *observed.cluster;
  if (!goes_on(cluster, job) || has_queue(job)) return;
  if (out.waits && !cluster.is_suspended) {
    out.start = {out.held_back, out.size};
    if (const auto longest = longest_of(job)) out.longest = *longest + kUntilItRuns;
    out.priority_class = cluster.priority_class;
    out.created = cluster.metadata.created.value_or(Time());
  } else if (out.runs && job.notes.quota.empty()) {
    out.growth = growth_of(observed, job, out.size);
  }
}

}  // namespace

Claim claim_of(const Observed* observed, const std::vector<quota::PodGroup>& pods, Time now) {
  Claim out;
  const Job* job = observed == nullptr ? nullptr : observed->find_job();
  if (job == nullptr) {
    out.used = quota::usage_of(nullptr, pods, nullptr);
    if (!out.used.empty()) out.end = now + kUsualGrace;
    return out;
  }
  const auto wanted = services_pod_of(*observed);
  const api::Amounts* services = wanted ? &*wanted : nullptr;
  out.used = quota::usage_of(job, pods, services);
  out.end = end_of(*job, now);
  out.job = job->metadata.uid;
  out.runs = !job->is_suspended;
  out.waits = !out.runs && job->notes.quota == api::kWaitsForQuota;
  out.size = job->parallelism.value_or(1);
  out.pod = quota::demand_of_pods(*job, 1);
  out.uid = observed->cluster->metadata.uid;
  if (out.waits) out.held_back = quota::demand_of(*job, services);
  add_requests(*observed, *job, out);
  return out;
}

}  // namespace mc::controller::admission
