#include "services/controller/admission/claim.h"

#include <algorithm>

#include "common/api/examine.h"
#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/render/pod.h"
#include "services/controller/quota/demand.h"
#include "services/controller/reconcile/job_record.h"
#include "services/controller/status/ends.h"
#include "services/controller/status/job_conditions.h"
#include "services/controller/status/status.h"

namespace mc::controller::admission {
namespace {

using quota::Time;
using std::chrono::seconds;

// From the decision until the Job controller has set the start time of the Job.
constexpr seconds kUntilItRuns{60};

constexpr std::int64_t kUsualGrace = 30;  // the API server's default

std::optional<Time> time_at(const json& object, std::initializer_list<std::string_view> path) {
  const auto time = parse_rfc3339(text_at(object, path));
  return time ? std::optional(std::chrono::floor<seconds>(*time)) : std::nullopt;
}

seconds grace_of(const json& job) {
  return seconds(
      integer_at(job, {"spec", "template", "spec", "terminationGracePeriodSeconds"}, kUsualGrace));
}

// How long the Job and its pods last at most; nothing if that is unknown.
std::optional<seconds> longest_of(const json& job) {
  const std::int64_t deadline = integer_at(job, {"spec", "activeDeadlineSeconds"});
  // Nobody chose the default.
  if (deadline <= 0 || deadline >= api::kDefaultDeadlineSeconds) return std::nullopt;
  return seconds(deadline) + grace_of(job);
}

// While a resume is under way, the Job still has the start time of its last run, or none.
std::optional<Time> end_of(const json& job, Time now) {
  if (is_suspended(job)) return now + grace_of(job);
  const auto longest = longest_of(job);
  if (!longest) return std::nullopt;
  const auto started = time_at(job, {"status", "startTime"});
  const bool is_resuming = has_condition(&job, "Suspended");
  return (started && !is_resuming ? *started : now) + *longest;
}

// Whether the Job will run, or go on running, for this MiniCluster.
bool goes_on(const json& cluster, const json& job) {
  return !is_deleted(cluster) && !is_deleted(job) && !is_finished(at_path(cluster, {"status"})) &&
         !has_condition(&job, "Complete") && !has_condition(&job, "Failed") && !kept_end(job);
}

bool is_of_a_queueing_system(const json& job) {
  return !text_at(job, {"metadata", "labels", api::kQueueLabel}).empty();
}

// The services pod that the spec wants; null for none.
json services_pod_of(const Observed& observed) {
  if (items_at(*observed.cluster, {"spec", "services"}).empty()) return nullptr;
  return render::services_pod(examine(observed).cluster);
}

// The size that the Job should have, if a reconcile would apply it.
std::int64_t wanted_size(const Observed& observed) {
  const api::Examination examination = examine(observed);
  const bool applies = examination.errors.empty() &&
                       job_change(observed, examination).fit == JobChange::Fit::Applies;
  return applies ? examination.cluster.spec.size : 0;
}

Request growth_of(const Observed& observed, const json& job, std::int64_t size) {
  // Cheap, and enough for almost all of them.
  if (integer_at(*observed.cluster, {"spec", "size"}, 1) <= size) return {};
  const std::int64_t wanted = wanted_size(observed);
  if (wanted <= size) return {};
  return {quota::demand_of_pods(job, wanted - size), wanted};
}

void add_requests(const Observed& observed, const json& job, Claim& out) {
  const json& cluster = *observed.cluster;
  if (!goes_on(cluster, job) || is_of_a_queueing_system(job)) return;
  if (out.waits && at_path(cluster, {"spec", "suspend"}) != true) {
    out.start = {out.held_back, out.size};
    if (const auto longest = longest_of(job)) out.longest = *longest + kUntilItRuns;
    out.priority_class = text_at(cluster, {"spec", "priorityClassName"});
    out.created = time_at(cluster, {"metadata", "creationTimestamp"}).value_or(Time());
  } else if (out.runs && annotation(job, api::kQuotaAnnotation).empty()) {
    out.growth = growth_of(observed, job, out.size);
  }
}

}  // namespace

Claim claim_of(const Observed* observed, const std::vector<quota::PodGroup>& pods, Time now) {
  Claim out;
  const json* job = observed == nullptr
                        ? nullptr
                        : observed->find("Job", text_at(*observed->cluster, {"metadata", "name"}));
  if (job == nullptr) {
    out.used = quota::usage_of(nullptr, pods, nullptr);
    if (!out.used.empty()) out.end = now + seconds(kUsualGrace);
    return out;
  }
  const json wanted = services_pod_of(*observed);
  const json* services = wanted.is_null() ? nullptr : &wanted;
  out.used = quota::usage_of(job, pods, services);
  out.end = end_of(*job, now);
  out.job = text_at(*job, {"metadata", "uid"});
  out.runs = !is_suspended(*job);
  out.waits = !out.runs && annotation(*job, api::kQuotaAnnotation) == api::kWaitsForQuota;
  out.size = integer_at(*job, {"spec", "parallelism"}, 1);
  out.uid = text_at(*observed->cluster, {"metadata", "uid"});
  if (out.waits) out.held_back = quota::demand_of(*job, services);
  add_requests(*observed, *job, out);
  return out;
}

}  // namespace mc::controller::admission
