#include <algorithm>

#include "common/api/examine.h"
#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/render/render.h"
#include "services/controller/cache/gather.h"
#include "services/controller/cluster/read.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/pod_problems.h"
#include "services/controller/reconcile/drift.h"
#include "services/controller/reconcile/job_change.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/status.h"
#include "tests/services/controller/actors.h"
#include "tests/services/controller/invariants.h"

namespace mc::controller::test {
namespace {

// `Status Reason` of a condition; empty if there is none.
std::string condition(const json& cluster, std::string_view type) {
  const json* found = api::condition_of(cluster, type);
  return found == nullptr ? "" : text_at(*found, {"status"}) + " " + text_at(*found, {"reason"});
}

bool may_be_used(const json& object, const json& cluster) {
  return kube::controller_uid(object) == uid_of(cluster) && !is_deleted(object) &&
         !is_of_another_operator(object);
}

// Whether it should be gone, by cleanup or ttlSecondsAfterFinished.
bool is_overdue(const json& cluster, std::chrono::system_clock::time_point now) {
  const json& spec = cluster.at("spec");
  if (spec.value("cleanup", false)) return true;
  if (!spec.contains("ttlSecondsAfterFinished")) return false;
  const auto end = parse_rfc3339(text_at(cluster, {"status", "completionTime"}));
  const std::chrono::seconds lifetime(integer_at(spec, {"ttlSecondsAfterFinished"}));
  return !end || *end + lifetime <= now;
}

// True if the controller has made the Job give up, and all its fields agree.
bool has_given_up(const json& job) {
  return !text_at(job, {"metadata", "annotations", api::kEndAnnotation}).empty() &&
         integer_at(job, {"spec", "backoffLimit"}, -1) == 0 &&
         integer_at(job, {"spec", "activeDeadlineSeconds"}, -1) == 1;
}

// Without spec.maxSize, the ceiling is the size with which the Job was created.
api::Examination examined(json cluster, const Observed& seen) {
  const Job* job = seen.find_job(kName);
  if (job == nullptr || integer_at(cluster, {"spec", "maxSize"}) != 0) return api::examine(cluster);
  const std::string& made = job->notes.max_size;
  if (!made.empty()) cluster["spec"]["maxSize"] = std::stol(made);
  return api::examine(cluster);
}

// The condition QuotaReserved of such a Job. `said`: the one that it has; without limits it may
// have none.
std::string wanted_condition(const Job& job, const QuotaReservation& quota,
                             const std::string& said) {
  if (waits_for_quota(job)) {
    const std::string waits = "False " + std::string(api::kReasonWaiting);
    const std::string told = quota.condition ? "False " + quota.condition->reason : waits;
    return was_preempted(job) && told == waits ? "False " + std::string(api::kReasonPreempted)
                                               : told;
  }
  if (!quota.limited) return said.empty() ? "" : "True NotLimited";
  if (job.is_suspended) return "False Suspended";
  return quota.condition ? "True GrowthWaits" : "True Reserved";
}

bool is_held(const json* job) {
  return job != nullptr && at_path(*job, {"spec", "suspend"}) == true;
}

}  // namespace

bool InvariantChecker::has_obstacle() const {
  const json* cluster = world_.find(api::kKind, kName);
  if (cluster == nullptr) return false;
  const api::MiniCluster parsed = api::examine(*cluster).cluster;
  return std::ranges::any_of(render::render(parsed, "a certificate"), [&](const json& object) {
    const json* there =
        world_.find(text_at(object, {"kind"}), text_at(object, {"metadata", "name"}));
    if (there == nullptr || there->at("kind") == "Secret")
      return false;  // the controller sees no Secret
    // While the Job is suspended, these wait and need no name. A ConfigMap of before is in the way
    // while it is being deleted.
    const bool is_other = kube::controller_uid(*there) != uid_of(*cluster);
    const bool waits = there->at("kind") == "Pod" || (there->at("kind") == "ConfigMap" && is_other);
    if (waits && is_held(world_.find("Job", kName))) return false;
    return !may_be_used(*there, *cluster);
  });
}

void InvariantChecker::look_at_rest(const QuotaReservation& quota) {
  const json* cluster = world_.find(api::kKind, kName);
  auto seen = gather(caches_, key_);
  if ((cluster == nullptr) != !seen) return blame("at rest: the cache is not as the world");
  if (cluster == nullptr || is_deleted(*cluster)) return;
  seen->quota = quota;
  const api::Examination examination = examined(*cluster, *seen);
  if (is_managed_by_other(examination.cluster)) return;
  if (is_finished(seen->cluster->status)) {
    // The controller does not see a pod without labels; it is deleted with the MiniCluster.
    const Pod* services = seen->find_pod("sample-services");
    if (services != nullptr && !is_deleted(services->metadata)) {
      blame("at rest: the services run on after the end");
    }
    if (is_overdue(*cluster, world_.clock().wall())) blame("at rest: it was not cleaned up");
    return;
  }
  const Job* job = seen->find_job(kName);
  if (job != nullptr && has_ended(*job)) return blame("at rest: nobody says that the Job ended");
  if (job != nullptr && !is_deleted(job->metadata)) look_at_quota(*job, *cluster, quota);
  if (!examination.errors.empty()) {
    if (condition(*cluster, "Accepted") != "False Invalid") blame("at rest: Accepted");
    if (job != nullptr && !is_deleted(job->metadata)) look_for_a_hang(*world_.find("Job", kName));
    return;
  }
  if (job_change(*seen, examination).fit != JobChange::Fit::Applies) {
    if (is_deleted(job->metadata)) return;
    if (condition(*cluster, "Accepted") != "False NotApplied") blame("at rest: not NotApplied");
    look_for_a_hang(*world_.find("Job", kName));
    return;
  }
  if (condition(*cluster, "Accepted") != "True Valid") blame("at rest: not Accepted");
  look_at_objects(*cluster, *seen);
}

void InvariantChecker::look_at_objects(const json& cluster, const Observed& seen) {
  const api::Examination examination = examined(cluster, seen);
  const bool ready = condition(cluster, "ObjectsReady") == "True Created";
  if (ready == has_obstacle()) {
    blame("at rest: ObjectsReady is " + condition(cluster, "ObjectsReady"));
  }
  if (has_obstacle()) return;
  for (const json& wanted : render::render(examination.cluster, "a certificate")) {
    const std::string kind = text_at(wanted, {"kind"}),
                      name = text_at(wanted, {"metadata", "name"});
    const json* there = world_.find(kind, name);
    if (kind == "Secret") continue;  // the controller never sees it
    if (kind == "ConfigMap" && is_held(world_.find("Job", kName))) continue;
    if (kind == "Pod" && is_held(world_.find("Job", kName))) {
      const Pod* ours = seen.find_pod(name);
      if (ours != nullptr && !is_deleted(ours->metadata))
        blame("at rest: the services do not wait");
      continue;
    }
    if (there == nullptr) {
      blame("at rest: no " + kind + " " + name);
      continue;
    }
    json left = kind == "Job"       ? drift(wanted, read_job(*there))
                : kind == "Service" ? drift(wanted, read_service(*there))
                                    : drift(wanted, read_labels(*there));
    if (kind == "Job" && has_given_up(*there)) left = json();
    if (!left.is_null()) blame("at rest: " + kind + " " + name + " lacks " + left.dump());
    if (kind == "Job") look_at_job(*there, cluster, seen);
    if (kind == "Job") look_for_an_untold_lead(*there, seen);
  }
}

void InvariantChecker::look_for_an_untold_lead(const json& job, const Observed& seen) {
  const Pod* lead = lead_pod(seen.pods);
  if (lead == nullptr || is_held(&job) || !has_partial_admission(read_job(job))) return;
  const std::string& told = lead->admitted;
  if (told != std::to_string(integer_at(job, {"spec", "completions"}))) {
    blame("at rest: the lead waits to be told what was admitted, or was told " + told);
  }
}

// Whether a lead that has told its followers how the command ended still runs and will end.
bool InvariantChecker::may_lead_end(const json& job) const {
  const std::vector<json> pods = world_.all("Pod");
  return std::ranges::any_of(pods, [&](const json& pod) {
    return kube::controller_uid(pod) == text_at(job, {"metadata", "uid"}) &&
           !Kubelet::is_terminal(pod) &&
           !at_path(pod, {"metadata", "annotations", kDecided}).is_null();
  });
}

// Finds an unreported final result, and a state that can never end.
void InvariantChecker::look_for_a_hang(const json& job) {
  const std::string truth = text_at(job, {"metadata", "annotations", kTruth});
  if (may_lead_end(job)) return;
  if (!truth.empty()) blame("at rest: nobody says that " + truth);
  std::map<std::int64_t, int> killed;
  for (const json& pod : world_.all("Pod")) {
    if (kube::controller_uid(pod) != text_at(job, {"metadata", "uid"})) continue;
    const std::int64_t index = Kubelet::index_of(pod);
    const std::string phase = text_at(pod, {"status", "phase"});
    if (index != 0 && phase == "Succeeded") {
      blame("at rest: the lead waits for pod " + std::to_string(index) + ", which has ended");
    }
    const json& containers = at_path(pod, {"status", "containerStatuses"});
    const bool by_memory =
        phase == "Failed" && containers.is_array() &&
        text_at(containers.at(0), {"state", "terminated", "reason"}) == "OOMKilled";
    if (by_memory && ++killed[index] == 3) blame("at rest: killed for its memory once more");
  }
}

void InvariantChecker::look_at_job(const json& job, const json& cluster, const Observed& seen) {
  look_for_a_hang(job);
  look_at_size(job, cluster, seen);
  if (is_queued(job)) return;
  const json& annotations = at_path(job, {"metadata", "annotations"});
  const bool suspended = is_held(&job);
  const bool asked = cluster.at("spec").value("suspend", false);
  const bool held = text_at(annotations, {kHeldByHand}) == "true";
  const bool waits = seen.quota.limited && waits_for_quota(read_job(job));
  if (asked && !suspended) blame("at rest: the Job is not suspended");
  if (asked && waits) blame("at rest: the Job waits, and the user has suspended it");
  if (!asked && suspended && !held && !waits) blame("at rest: the Job is not resumed");
}

// A Job that runs within limits may wait to grow (QuotaInvariants looks whether it has to).
void InvariantChecker::look_at_size(const json& job, const json& cluster, const Observed& seen) {
  const std::int64_t has = integer_at(job, {"spec", "parallelism"});
  std::int64_t size = integer_at(cluster, {"spec", "size"});
  if (seen.quota.limited && !is_queued(job) && !is_held(&job)) size = std::min(size, has);
  const std::string told = text_at(job, {"metadata", "annotations", api::kSizeAnnotation});
  if (told != std::to_string(size)) blame("at rest: the Job was not told its size");
  if (is_queued(job)) return;
  for (const char* member : {"completions", "parallelism"}) {
    if (integer_at(job, {"spec", member}) != size) blame(std::string("at rest: ") + member);
  }
}

// The status says whether it waits, and why. With an obstacle the Job is not patched.
void InvariantChecker::look_at_quota(const Job& job, const json& cluster,
                                     const QuotaReservation& quota) {
  if (is_queued(cluster)) return;
  std::vector<std::string> wrong;
  const bool waits = waits_for_quota(job);
  if (!job.is_suspended && !job.notes.quota.empty()) wrong.emplace_back("runs past the limits");
  if (waits && quota.job == job.metadata.uid) wrong.emplace_back("is admitted, and waits");
  const std::string phase = text_at(cluster, {"status", "phase"});
  if (waits != (phase == api::kPhaseWaiting)) {
    wrong.push_back("the phase is " + phase + ", and it " + (waits ? "waits" : "does not wait"));
  }
  const std::string said = condition(cluster, api::kQuotaReserved);
  const std::string wanted = wanted_condition(job, quota, said);
  if (said != wanted) wrong.push_back("QuotaReserved is " + said + " instead of " + wanted);
  if (wrong.empty() || has_obstacle()) return;
  for (const std::string& what : wrong) blame("at rest: " + what);
}

}  // namespace mc::controller::test
