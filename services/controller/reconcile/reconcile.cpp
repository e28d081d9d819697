#include "services/controller/reconcile/reconcile.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "common/api/examine.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/flux/curve.h"
#include "common/observe/log.h"
#include "services/api_resources.h"
#include "services/controller/cache/gather.h"
#include "services/controller/cluster/read.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/gone_job.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/lost_node.h"
#include "services/controller/interpret/pod_group.h"
#include "services/controller/interpret/pod_problems.h"
#include "services/controller/reconcile/execute.h"
#include "services/controller/reconcile/job_change.h"
#include "services/controller/reconcile/lost_job.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/events.h"
#include "services/controller/status/status.h"

namespace mc::controller {
namespace {

constexpr int kSecondsInTheWay = 1;  // at least, between two tries
// Until the condition, which an event repeats, says again why the Job waits.
constexpr std::chrono::seconds kResumeIsTold{5};
// The first reconcile of a MiniCluster runs within this time and skips the check of is_still_there.
// If clocks differ, it may check.
constexpr std::chrono::seconds kNew = Caches::kBegunFor;

// True if the plan creates objects that may have existed before. The services pod does not count:
// it is created and deleted with the Job.
bool makes_again(const Plan& todo, const MiniCluster& cluster, Caches& caches, const Clock& clock) {
  const auto lasts = [](const Create& wanted) { return text_at(wanted.object, {"kind"}) != "Pod"; };
  if (!std::ranges::any_of(todo.create, lasts)) return false;
  const auto made = cluster.metadata.created;
  const bool is_new = is_unwritten(cluster.status) && made && clock.wall() - *made < kNew;
  return !is_new || !caches.begins(cluster.metadata.uid, clock.now());
}

// Whether the MiniCluster still exists in the API server: the watch may be late. The garbage
// collector deletes the objects of a deleted MiniCluster, and without this check they would be
// created again and again. (A list, because the controller has that right.)
Result<bool> is_still_there(const kube::Client& client, const Metadata& cluster) {
  const auto found =
      client.list(kMiniClusters, cluster.ns, {.field_selector = "metadata.name=" + cluster.name});
  if (!found) return std::unexpected(found.error());
  return std::ranges::any_of(items_at(*found, {"items"}), [&](const json& item) {
    const Metadata there = read_metadata(item);
    return there.uid == cluster.uid && !is_deleted(there);
  });
}

Result<void> as_result(const Outcome& outcome) {
  if (!outcome.errors.empty()) return std::unexpected(outcome.errors.front());
  // No watch reports when the obstacle is gone: an object of that name, a quota.
  if (!outcome.conflicts.empty()) {
    return std::unexpected(
        Error{ErrorKind::Conflict, outcome.conflicts.front() + " is in the way", kSecondsInTheWay});
  }
  if (!outcome.unusable_service.empty()) {
    return std::unexpected(Error{ErrorKind::Conflict, outcome.unusable_service, kSecondsInTheWay});
  }
  if (!outcome.refusals.empty()) return fail(ErrorKind::Forbidden, outcome.refusals.front());
  return {};
}

std::optional<Observed> observe(const ReconcileContext& context, const std::string& key) {
  auto observed = gather(context.caches, key);
  if (observed) observed->quota = context.quota(key);
  return observed;
}

void send(const ReconcileContext& context, const std::string& key, const MiniCluster& cluster,
          const std::vector<StatusEvent>& events) {
  for (const Error& error :
       send_events(context.client, cluster, events, context.reporter, context.clock.wall())) {
    log::warning("Event was not sent", {{"minicluster", key}, {"error", error.message}});
  }
}

// Writes the status and sends events. After an end it requeues (plan.h has more to do then),
// because the watch does not report our own write. `looked`: has what was looked for in addition to
// the caches.
Result<kube::RequeueAfter> report(const ReconcileContext& context, const std::string& key,
                                  const api::Examination& examination, const Outcome& outcome,
                                  Observed looked) {
  // Gathers again, with what was just written. A new MiniCluster of that name has its own
  // reconcile. outcome.not_applied still holds: a Job keeps its record, one created just now has
  // that of this examination, and what others have changed meanwhile has its own reconcile too.
  auto observed = observe(context, key);
  if (!observed || observed->cluster->metadata.uid != examination.cluster.uid ||
      is_deleted(observed->cluster->metadata)) {
    return std::nullopt;
  }
  observed->lost_node = std::move(looked.lost_node);
  observed->in_part_with = std::move(looked.in_part_with);
  const ClusterStatus& before = observed->cluster->status;
  if (is_finished(before)) {  // it stays as it is
    context.pace.forget(key);
    context.caches.gone_jobs.forget(key);
    context.caches.bound_in_part.remove(key);
    return std::nullopt;
  }
  const ClusterStatus after =
      status(*observed, examination, outcome,
             std::chrono::floor<std::chrono::seconds>(context.clock.wall()));
  if (after == before) return std::nullopt;
  const auto wait =
      context.pace.wait(key, before, after, after.size.value_or(0), context.clock.now());
  if (wait.count() > 0) return wait;
  auto written = write_status(context.client, *observed->cluster, after);
  if (!written && written.error().kind == ErrorKind::NotFound) return std::nullopt;
  if (!written) return std::unexpected(written.error());
  context.caches.learn(std::move(*written));
  context.pace.written(key, context.clock.now());
  send(context, key, *observed->cluster, events(before, after));
  return is_finished(after) ? kube::RequeueAfter(0) : std::nullopt;
}

// Sets observed.lost_node; returns when to look again. No watch: nodes change all the time, and are
// read only while a pod is silent or takes long to end. All pods end with the command; no node is
// read then.
std::optional<std::chrono::seconds> look_for_lost_node(const ReconcileContext& context,
                                                       const api::MiniCluster& cluster,
                                                       Observed& observed) {
  const Job* job = observed.find_job(cluster.name);
  if (job == nullptr || has_ended(*job) || has_command_ended(observed.pods, runner_of(cluster))) {
    return std::nullopt;
  }
  const auto now = context.clock.wall();
  const StuckPod stuck = stuck_pod(observed, *job, now);
  if (stuck.pod == nullptr) return stuck.look_again;
  const auto answer = context.client.get(kube::kNodes, "", stuck.pod->node);
  if (answer) {
    const Node node = read_node(*answer);
    observed.lost_node = lost_node(*stuck.pod, &node, now);
  } else if (answer.error().kind == ErrorKind::Forbidden) {
    observed.lost_node = lost_node(*stuck.pod, nullptr, now);
  }
  return stuck.look_again;
}

// Sets observed.in_part_with; returns when to look again: no event comes once both have waited for
// long, or once the other one runs.
std::optional<std::chrono::seconds> look_for_deadlock(const ReconcileContext& context,
                                                      const std::string& key,
                                                      const api::MiniCluster& cluster,
                                                      Observed& observed) {
  const Job* job = observed.find_job(cluster.name);
  BoundInPart& all = context.caches.bound_in_part;
  const std::int64_t needed = job == nullptr ? 0 : min_count(*job, cluster.spec);
  // One that is ready is not looked at pod by pod.
  if (job == nullptr || job->is_suspended || job->ready >= needed || has_ended(*job) ||
      !is_in_part(observed.pods, observed.bound, needed)) {
    all.remove(key);
    return std::nullopt;
  }
  const auto now = context.clock.now();
  all.add(key, now);
  observed.in_part_with = all.other(key, now);
  const Shared<MiniCluster> other = context.caches.clusters.get(observed.in_part_with);
  observed.yields = other != nullptr && std::pair(other->metadata.created, observed.in_part_with) <
                                            std::pair(observed.cluster->metadata.created, key);
  return BoundInPart::kLong;
}

// Tells how long it took to bind the pods that the command needs, as soon as they have nodes.
void tell_time_to_bind(const ReconcileContext& context, const api::MiniCluster& cluster,
                       const Observed& observed) {
  const Job* job = observed.find_job(cluster.name);
  if (job == nullptr || job->is_suspended) return;
  const auto took = context.caches.job_pods.take_time_to_bind(
      owner_id(job->metadata.ns, job->metadata.uid), min_count(*job, cluster.spec));
  if (took) context.bound(*took);
}

// Tells which jobs were ended with their pod (spec.drainSeconds): nothing else says so once it is
// gone.
void tell_outlived(const ReconcileContext& context, const std::string& key,
                   const Observed& observed) {
  const Job* job = observed.find_job();
  if (job == nullptr) return;
  std::vector<StatusEvent> told;
  for (std::string& said :
       context.caches.job_pods.take_outlived(owner_id(job->metadata.ns, job->metadata.uid))) {
    told.push_back({.warning = true,
                    .reason = api::kReasonJobsEnded,
                    .message = std::move(said),
                    .is_one_of_many = true});
  }
  send(context, key, *observed.cluster, told);
}

// The end of a Job that the controller did not see go; nothing without such a Job.
Result<std::optional<api::Condition>> look_for_lost_job(const kube::Client& client,
                                                        const api::MiniCluster& cluster,
                                                        Observed& observed) {
  const ClusterStatus& status = observed.cluster->status;
  const bool is_over = is_finished(status) || is_deleted(observed.cluster->metadata);
  if (observed.find_job() != nullptr || is_over) return std::nullopt;
  if (job_before(observed, cluster) != JobBefore::Unknown) return std::nullopt;
  auto end = end_of_lost_job(client, cluster, started_job(observed, cluster));
  if (end && !*end) observed.has_unseen_job = true;
  return end;
}

// What is to be done, and by which examination.
struct Planned {
  std::shared_ptr<const api::Examination> examined;
  JobChange change;
  Plan todo;
};

Planned plan_for(const ReconcileContext& context, const std::string& key,
                 const Observed& observed) {
  Planned out{.examined = context.examinations.of(observed), .change = {}, .todo = {}};
  const api::Examination& examination = *out.examined;
  out.change = job_change(observed, examination);
  out.todo = plan(observed, examination, out.change, context.clock.wall(), [&] {
    return flux::curve_certificate(flux::generate_curve_keys(), examination.cluster.name);
  });
  if (log::v(4)) {
    log::info("Reconcile", {{"minicluster", key},
                            {"creates", std::to_string(out.todo.create.size())},
                            {"patches", std::to_string(out.todo.patch.size())},
                            {"removes", std::to_string(out.todo.remove.size())}});
  }
  return out;
}

// Does what is planned. If the API server refuses the PodGroup of a new Job, plans again without
// it: the Job records why.
Outcome carry_out(const ReconcileContext& context, const std::string& key, Observed& observed,
                  Planned& planned, const WriteHooks& hooks) {
  const std::string& uid = observed.cluster->metadata.uid;
  Outcome outcome = execute(context.client, planned.todo, uid, hooks);
  if (outcome.refused_group.empty()) return outcome;
  if (observed.find_job() != nullptr) {
    outcome.refusals.push_back(outcome.refused_group);
    return outcome;
  }
  log::warning("A PodGroup was refused; its pods are scheduled one by one",
               {{"minicluster", key}, {"error", outcome.refused_group}});
  const api::GangKind kind = planned.examined->cluster.pod_group.kind;
  observed.gang.kinds[kind] = {.api_version = "", .why_not = outcome.refused_group};
  observed.gang.is_refused = true;
  planned = plan_for(context, key, observed);
  return execute(context.client, planned.todo, uid, hooks);
}

bool allows_the_same(const QuotaReservation& a, const QuotaReservation& b) {
  return a.limited == b.limited && a.job == b.job && a.granted == b.granted;
}

kube::RequeueAfter earlier(kube::RequeueAfter a, kube::RequeueAfter b) {
  return a && (!b || *a < *b) ? a : b;
}

// What waits until the status records the Job. A status that did not need to be written records it.
Outcome start(const ReconcileContext& context, const std::string& key, std::vector<Create> waits,
              const WriteHooks& hooks) {
  if (waits.empty()) return {};
  const Shared<MiniCluster> cluster = context.caches.clusters.get(key);
  const Shared<Job> job = context.caches.jobs.get(key);
  const bool may_start =
      cluster != nullptr && job != nullptr && !job->is_suspended && is_recorded(*cluster, *job);
  if (!may_start) return {};
  Plan todo;
  todo.create = std::move(waits);
  return execute(context.client, todo, cluster->metadata.uid, hooks);
}

}  // namespace

Result<kube::RequeueAfter> reconcile(const ReconcileContext& context, const std::string& key) {
  auto observed = observe(context, key);
  if (!observed) {
    context.pace.forget(key);
    context.caches.gone_jobs.forget(key);
    context.caches.bound_in_part.remove(key);
    return std::nullopt;
  }
  const auto examined = context.examinations.of(*observed);
  if (is_managed_by_other(examined->cluster)) return std::nullopt;
  auto lost = look_for_lost_job(context.client, examined->cluster, *observed);
  if (!lost) return std::unexpected(lost.error());
  const auto deadlock = look_for_deadlock(context, key, examined->cluster, *observed);
  Planned planned = plan_for(context, key, *observed);
  if (makes_again(planned.todo, *observed->cluster, context.caches, context.clock)) {
    const auto there = is_still_there(context.client, observed->cluster->metadata);
    if (!there) return std::unexpected(there.error());
    if (!*there) return std::nullopt;  // the watch will report it
  }
  const WriteHooks hooks{
      .learn = [&](json object) { context.caches.learn(std::move(object)); },
      .created = context.created,
      .may_start = [&] { return allows_the_same(context.quota(key), observed->quota); }};
  Outcome outcome = carry_out(context, key, *observed, planned, hooks);
  Plan& todo = planned.todo;
  if (!outcome.unseen.empty()) {
    // The plan did not know it, and the watch does not report what was just learned: plan again.
    return fail(ErrorKind::Conflict, outcome.unseen.front() + " exists, but was not in the cache");
  }
  if (outcome.may_not_start) {
    return fail(ErrorKind::Conflict, "the limits of the FluxSetup have changed");
  }
  outcome.not_applied = planned.change.errors;
  outcome.was_past_quota = todo.was_past_quota;
  outcome.end_of_lost_job = *std::move(lost);
  const auto look_again =
      earlier(look_for_lost_node(context, examined->cluster, *observed), deadlock);
  tell_time_to_bind(context, examined->cluster, *observed);
  tell_outlived(context, key, *observed);
  auto reported = report(context, key, *planned.examined, outcome, *std::move(observed));
  if (!reported) return reported;
  if (auto done = as_result(outcome); !done) return std::unexpected(done.error());
  const Outcome started = start(context, key, std::move(todo.create_once_recorded), hooks);
  if (!started.unseen.empty()) return fail(ErrorKind::Conflict, started.unseen.front());
  if (auto done = as_result(started); !done) return std::unexpected(done.error());
  if (*reported) return *reported;
  if (todo.was_past_quota) return kResumeIsTold;
  return earlier(look_again, todo.requeue_after);
}

}  // namespace mc::controller
