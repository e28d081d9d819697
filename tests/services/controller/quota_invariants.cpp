#include "tests/services/controller/quota_invariants.h"

#include <algorithm>
#include <tuple>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "services/controller/cache/gather.h"
#include "services/controller/cluster/read.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/pod_view.h"
#include "services/controller/status/status.h"
#include "tests/services/controller/actors.h"

namespace mc::controller::test {
namespace {

bool may_run(const json& job) {
  return !job.is_null() && at_path(job, {"spec", "suspend"}) != true;
}

std::int64_t pods_wanted(const json& job) { return integer_at(job, {"spec", "parallelism"}, 1); }

std::string quota_note(const json& job) {
  return text_at(job, {"metadata", "annotations", api::kQuotaAnnotation});
}

// 1 if the MiniCluster of this Job has a services pod while it runs.
std::int64_t services_of(const json* cluster, const Job& job) {
  const bool is_its = cluster != nullptr && uid_of(*cluster) == job.metadata.owner.uid;
  return is_its && !items_at(*cluster, {"spec", "services"}).empty() ? 1 : 0;
}

// Whether the Job goes on for this MiniCluster once it may.
bool goes_on(const json& cluster, const Job& job) {
  const bool by_user = at_path(cluster, {"spec", "suspend"}) == true && job.is_suspended;
  return !is_deleted(cluster) && !is_finished(read_status(at_path(cluster, {"status"}))) &&
         !by_user && !is_deleted(job.metadata) && !has_ended(job) && !is_queued(cluster);
}

// How often the MiniCluster agreed to be suspended for others; 0: it did not.
std::int64_t most_preemptions(const json& cluster) {
  const json& agreed = at_path(cluster, {"spec", "preemptible"});
  return agreed.is_object() ? integer_at(agreed, {"maxPreemptions"}, 10) : 0;
}

std::int64_t preemptions(const json& job) {
  const std::string told = text_at(job, {"metadata", "annotations", api::kPreemptionsAnnotation});
  return told.empty() ? 0 : std::stoll(told);
}

// The order of the queue, of those with the same priority.
auto age_of(const json& cluster) {
  return std::tuple(text_at(cluster, {"metadata", "creationTimestamp"}), name_of(cluster),
                    text_at(cluster, {"metadata", "namespace"}));
}

}  // namespace

QuotaInvariants::QuotaInvariants(SimulatedQueueing& queueing) : queueing_(queueing) {
  queueing.on_admitted = [this](const auto& added) { judge_admission(added); };
}

void QuotaInvariants::follow(const Member& member) {
  members_.push_back(member);
  member.world->on_change.emplace_back([this, member](const json& before, const json& after) {
    note_change(member, before, after);
  });
  member.world->on_write.emplace_back(
      [this, member](const Write& write) { judge_write(member, write); });
}

const QuotaInvariants::Member& QuotaInvariants::member(const std::string& key) const {
  return *std::ranges::find(members_, key, &Member::key);
}

QuotaReservation QuotaInvariants::told(const std::string& key) {
  return told_[key] = queueing_.reservation(key);
}

// Notes a Job that was resumed past the limits.
void QuotaInvariants::begin_reconcile(const std::string& key) {
  left_.erase(key);
  const auto seen = gather(*member(key).caches, key);
  const Job* job = seen ? seen->find_job(kName) : nullptr;
  const bool is_past = job != nullptr && !job->is_suspended && !job->notes.quota.empty() &&
                       job->notes.end.empty() && !has_ended(*job) && !is_deleted(job->metadata);
  if (is_past && queueing_.limited()) left_[key] = job->metadata.resource_version;
}

void QuotaInvariants::end_reconcile(const std::string& key, bool done) {
  const auto left = left_.find(key);
  if (!done || left == left_.end()) return;
  const Member& of = member(key);
  const json& cluster = of.invariants->view();
  const json* job = of.world->find("Job", kName);
  const bool is_over =
      is_deleted(cluster) || is_finished(read_status(at_path(cluster, {"status"})));
  if (job == nullptr || is_over || is_queued(cluster)) return;
  if (text_at(*job, {"metadata", "resourceVersion"}) == left->second) {
    of.invariants->blame("a reconcile leaves a Job alone that was resumed past the limits");
  }
}

// Whether it counts as what we let run: then the leader knows that it does, since only others can
// hide it.
bool QuotaInvariants::is_let_run(const Member& of, const json& job) const {
  const json* cluster = of.world->find(api::kKind, kName);
  return cluster != nullptr && kube::controller_uid(job) == uid_of(*cluster) && may_run(job) &&
         !has_ended(job) && !is_deleted(job) &&
         text_at(job, {"metadata", "labels", api::kManagedByLabel}) == api::kManagedByValue;
}

void QuotaInvariants::note_change(const Member& of, const json& before, const json& after) {
  const json& any = after.is_null() ? before : after;
  if (text_at(any, {"kind"}) != "Job") return;
  const std::string uid = uid_of(any);
  if (const auto run = let_run_.find(uid); run != let_run_.end()) {
    run->second = std::min(run->second, pods_wanted(any));
    if (after.is_null() || !is_let_run(of, after)) let_run_.erase(run);
  }
  // Unless judge_start() finds that it was us.
  if (may_run(after) && !before.is_null() && !may_run(before)) resumed_by_others_.insert(uid);
}

// A start that was promised is kept, made earlier, or told to be late, while the MiniCluster waits
// with the same spec.
void QuotaInvariants::judge_promise(const Member& of, const Write& write) {
  const auto promise = [](const json& cluster) {
    return text_at(cluster, {"status", "promisedStartTime"});
  };
  const json* const quota = api::condition_of(write.after, api::kQuotaReserved);
  const bool waits =
      quota != nullptr && at_path(write.after, {"status"}).contains("positionInQueue");
  const bool is_same_spec = at_path(write.before, {"status", "observedGeneration"}) ==
                            at_path(write.after, {"status", "observedGeneration"});
  if (!waits) return;
  const std::string before = promise(write.before), after = promise(write.after);
  if (is_same_spec && !before.empty() && (after.empty() || after > before)) {
    of.invariants->blame("a promised start is forgotten: " + before + ", then \"" + after + "\"");
  }
  const std::string reason = text_at(*quota, {"reason"}), message = text_at(*quota, {"message"});
  const bool says = message.contains(" It starts at ") || message.contains(" It starts once ");
  if (!after.empty() && reason == api::kReasonWaiting && !says) {
    of.invariants->blame("a promised start is broken silently: " + after + ", " + message);
  }
}

void QuotaInvariants::judge_write(const Member& of, const Write& write) {
  if (write.kind == api::kKind) return judge_promise(of, write);
  const bool is_queued_job = is_queued(write.after) || is_queued(of.invariants->view());
  if (write.kind != "Job" || write.verb == "DELETE" || is_queued_job) return;
  const std::string note = quota_note(write.after);
  const std::string what = write.verb + " of the Job " + write.body.dump();
  if (may_run(write.after) && !note.empty()) of.invariants->blame(what + ": runs and waits");
  if (note == api::kWaitsForQuota && at_path(of.invariants->view(), {"spec", "suspend"}) == true &&
      note != quota_note(write.before)) {
    of.invariants->blame(what + ": waits, and the user has suspended it");
  }
  if (may_run(write.after)) {
    judge_start(of, write);
  } else if (may_run(write.before)) {
    judge_suspension(of, write);
  }
}

// Whatever starts or grows has been written down, for this very Job.
void QuotaInvariants::judge_start(const Member& of, const Write& write) {
  const std::string uid = uid_of(write.after);
  const bool starts = !may_run(write.before);
  if (starts) resumed_by_others_.erase(uid);
  if (!told_[of.key].limited) return;
  const std::int64_t pods = pods_wanted(write.after);
  if (!starts && pods <= pods_wanted(write.before)) return;
  const std::string what = write.verb + " of the Job " + write.body.dump() + ": ";
  const auto log = queueing_.log();
  const auto entry = log.find(uid);
  if (queueing_.limited() && entry == log.end()) {
    of.invariants->blame(what + (starts ? "starts" : "grows") + " without an admission");
  } else if (queueing_.limited() && entry->second.size < pods) {
    of.invariants->blame(what + "has more pods than were admitted");
  }
  let_run_[uid] = pods;
  judge_sum(of, starts);
}

// Only the user, somebody who has resumed it past the limits, or one of a higher priority can make
// a reconcile suspend it.
void QuotaInvariants::judge_suspension(const Member& of, const Write& write) {
  const bool by_user = at_path(of.invariants->view(), {"spec", "suspend"}) == true;
  if (preemptions(write.after) > preemptions(write.before)) return judge_preemption(of, write);
  if (by_user || resumed_by_others_.contains(uid_of(write.after))) return;
  of.invariants->blame("PATCH of the Job " + write.body.dump() + ": takes back what was admitted");
}

// Only one that agreed, not more often than it did, whose command has not ended, and for another
// that waits with a higher priority.
void QuotaInvariants::judge_preemption(const Member& of, const Write& write) const {
  const json& cluster = of.invariants->view();
  const std::string what = "PATCH of the Job " + write.body.dump() + ": preempts ";
  if (preemptions(write.after) > most_preemptions(cluster)) {
    of.invariants->blame(what + "one that did not agree to that so often");
  }
  const auto told = told_.find(of.key);
  if (told == told_.end() || told->second.preempted != uid_of(write.after)) {
    of.invariants->blame(what + "one without being told so");
  }
  if (of.world->ended.contains(uid_of(cluster))) of.invariants->blame(what + "one that has ended");
}

// What the FluxSetup in force makes of its priority class.
std::int32_t QuotaInvariants::priority_of(const Member& of) const {
  const json* cluster = of.world->find(api::kKind, kName);
  const queueing::Policy* policy = queueing_.policy();
  if (cluster == nullptr || policy == nullptr) return 0;
  const auto allowed = policy->priority_classes.find(of.world->ns());
  const bool is_allowed =
      allowed != policy->priority_classes.end() && allowed->second.contains(kUrgent);
  return is_allowed && text_at(*cluster, {"spec", "priorityClassName"}) == kUrgent ? 10 : 0;
}

// Whether it could be suspended for others now.
bool QuotaInvariants::is_preemptible(const Member& of) const {
  const auto seen = gather(*of.caches, of.key);
  const Job* job = seen ? seen->find_job(kName) : nullptr;
  const json* cluster = of.world->find(api::kKind, kName);
  if (job == nullptr || job->is_suspended || !goes_on(*cluster, *job)) return false;
  if (!job->notes.quota.empty() || queueing_.log().contains(job->metadata.uid)) return false;
  return preemptions_of(*job) < most_preemptions(*cluster);
}

// What our reconciles let run fits the limits by which they were allowed to last. One that grows
// may have been let run by others before.
void QuotaInvariants::judge_sum(const Member& of, bool starts) const {
  Need sum;
  for (const Member& each : members_) {
    const json* job = each.world->find("Job", kName);
    if (job == nullptr || !is_let_run(each, *job)) continue;
    const auto run = let_run_.find(uid_of(*job));
    if (run == let_run_.end()) continue;
    sum.pods += run->second;
    ++sum.clusters;
  }
  const auto is_past = [&](std::string_view name, std::int64_t amount) {
    const auto hard = last_hard_.find(name);
    return hard != last_hard_.end() && hard->second < api::Quantity(amount);
  };
  if (is_past(queueing::kPodCount, sum.pods) ||
      (starts && is_past(queueing::kMiniClusterCount, sum.clusters))) {
    of.invariants->blame("it starts or grows, and " + std::to_string(sum.pods) + " pods of " +
                         std::to_string(sum.clusters) + " MiniClusters run past the limits");
  }
}

// What the MiniCluster uses as far as the leader can know, and what is admitted for it.
QuotaInvariants::Need QuotaInvariants::used_by(const Member& of) const {
  // Also that of a MiniCluster that is gone.
  const auto known = of.caches->jobs.get(of.key);
  const bool is_made_for_one = known != nullptr && known->metadata.owner.kind == api::kKind;
  const Job* job = is_made_for_one ? known.get() : nullptr;
  std::int64_t pods = 0, others = 0, services = 0;
  for (const Shared<Pod>& pod : of.caches->pods.all()) {
    if (is_over(*pod) || cluster_key(*of.caches, *pod) != of.key) continue;
    const bool is_ours = job != nullptr && pod->metadata.owner.uid == job->metadata.uid;
    ++(is_ours ? pods : pod->metadata.owner.kind == "Job" ? others : services);
  }
  if (job != nullptr && !has_ended(*job)) {
    const auto log = queueing_.log();
    const auto entry = log.find(job->metadata.uid);
    const bool is_admitted = entry != log.end();
    if (is_admitted) pods = std::max(pods, entry->second.size);
    const bool runs = !job->is_suspended || job->started;
    if (runs) pods = std::max(pods, job->parallelism.value_or(1));
    if (runs || is_admitted) {
      services = std::max(services, services_of(of.world->find(api::kKind, kName), *job));
    }
  }
  if (job != nullptr) pods = std::max(pods, job->active);
  const std::int64_t all = pods + others + services;
  return {.pods = all, .clusters = all > 0 ? 1 : 0};
}

QuotaInvariants::Need QuotaInvariants::used() const {
  Need out;
  for (const Member& each : members_) {
    const Need more = used_by(each);
    out.pods += more.pods;
    out.clusters += more.clusters;
  }
  return out;
}

bool QuotaInvariants::fits(const Need& used, const Need& more) const {
  const api::Amounts& hard = queueing_.policy()->limits.hard;
  const auto has_room = [&](std::string_view name, std::int64_t there, std::int64_t needed) {
    const auto limit = hard.find(name);
    return needed == 0 || limit == hard.end() || api::Quantity(there + needed) <= limit->second;
  };
  return has_room(queueing::kPodCount, used.pods, more.pods) &&
         has_room(queueing::kMiniClusterCount, used.clusters, more.clusters);
}

// A growth needs no room for a MiniCluster more.
void QuotaInvariants::judge_admission(const std::vector<queueing::Entry>& added) {
  const api::Amounts& hard = queueing_.policy()->limits.hard;
  const bool any_starts = std::ranges::any_of(added, [&](const queueing::Entry& entry) {
    return member(entry.key).caches->jobs.get(entry.key)->is_suspended;
  });
  for (const std::string_view name : {queueing::kPodCount, queueing::kMiniClusterCount}) {
    if (name == queueing::kMiniClusterCount && !any_starts) continue;
    last_hard_.erase(std::string(name));
    if (const auto limit = hard.find(name); limit != hard.end()) last_hard_.insert(*limit);
  }
  const Need all = used();
  if (fits({}, {.pods = all.pods, .clusters = any_starts ? all.clusters : 0})) return;
  member(added.front().key)
      .invariants->blame("is admitted past the limits: " + std::to_string(all.pods) + " pods of " +
                         std::to_string(all.clusters) + " MiniClusters run or are admitted");
}

// What it needs to start, while it waits; nothing if it does not.
QuotaInvariants::Need QuotaInvariants::start_of(const Member& of) const {
  const auto seen = gather(*of.caches, of.key);
  const Job* job = seen ? seen->find_job(kName) : nullptr;
  const json* cluster = of.world->find(api::kKind, kName);
  if (job == nullptr || !waits_for_quota(*job) || !goes_on(*cluster, *job)) return {};
  if (queueing_.log().contains(job->metadata.uid)) return {};
  return {.pods = job->parallelism.value_or(1) + services_of(cluster, *job), .clusters = 1};
}

// What it needs to grow to its spec.size; nothing if it does not want to.
QuotaInvariants::Need QuotaInvariants::growth_of(const Member& of) const {
  const auto seen = gather(*of.caches, of.key);
  const Job* job = seen ? seen->find_job(kName) : nullptr;
  const json* cluster = of.world->find(api::kKind, kName);
  if (job == nullptr || job->is_suspended || !goes_on(*cluster, *job)) return {};
  if (queueing_.log().contains(job->metadata.uid)) return {};
  const json* accepted = api::condition_of(*cluster, api::kAccepted);
  if (accepted == nullptr || accepted->at("status") != "True") return {};
  const std::int64_t size = integer_at(*cluster, {"spec", "size"}, 1);
  return {.pods = std::max<std::int64_t>(size - job->parallelism.value_or(1), 0), .clusters = 0};
}

void QuotaInvariants::look_at_rest() const {
  if (queueing_.policy() != nullptr) return look_at_those_that_wait();
  for (const Member& each : members_) {
    const bool waits = !queueing_.limited() && start_of(each).pods > 0;
    if (waits && !each.invariants->has_obstacle()) {
      each.invariants->blame("at rest: waits, and there are no limits");
    }
  }
}

// One that was promised a start may be before the first.
void QuotaInvariants::look_at_first(const Member& first, const Need& used) const {
  if (queueing_.policy()->limits.strategy == queueing::Strategy::EASYBackfill) return;
  Need left = used;
  for (const Member& each : members_) {
    if (!is_preemptible(each) || priority_of(each) >= priority_of(first)) continue;
    const Need its = used_by(each);
    left.pods -= its.pods;
    left.clusters -= its.clusters;
  }
  if (left.clusters < used.clusters && !fits(used, start_of(first)) &&
      fits(left, start_of(first))) {
    first.invariants->blame("at rest: waits, and others agreed to make room for its priority");
  }
}

void QuotaInvariants::look_at_those_that_wait() const {
  const Need used = this->used();
  const bool strict = queueing_.policy()->limits.strategy == queueing::Strategy::StrictFIFO;
  std::vector<const Member*> waiting;
  for (const Member& each : members_) {
    const Need start = start_of(each), growth = growth_of(each);
    if (start.pods > 0 && fits({}, start)) waiting.push_back(&each);
    if (growth.pods > 0 && fits(used, growth)) {
      each.invariants->blame("at rest: does not grow, and there is room");
    }
  }
  std::ranges::sort(waiting, {}, [this](const Member* each) {
    return std::pair(-priority_of(*each), age_of(*each->world->find(api::kKind, kName)));
  });
  if (!waiting.empty()) look_at_first(*waiting.front(), used);
  for (const Member* each : waiting) {
    if (fits(used, start_of(*each))) {
      each->invariants->blame("at rest: waits, and there is room: " + std::to_string(used.pods) +
                              " pods are used");
    }
    if (strict) return;
  }
}

}  // namespace mc::controller::test
