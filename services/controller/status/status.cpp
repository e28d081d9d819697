#include "services/controller/status/status.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "services/controller/interpret/gone_job.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/lost_node.h"
#include "services/controller/interpret/pod_group.h"
#include "services/controller/status/dropped_fields.h"
#include "services/controller/status/job_conditions.h"
#include "services/controller/status/quota_remedy.h"

namespace mc::controller {
namespace {

// A condition's message is limited to 32768 bytes (metav1.Condition); a list of errors may have
// more.
constexpr std::size_t kMostMessage = 16384;

// For this long after the creation of the MiniCluster, a failed creation of an object is retried
// and not reported.
constexpr std::chrono::seconds kPatience{60};

std::string bounded(const std::string& text) {
  const std::string_view cut = cut_utf8(text, kMostMessage);
  return cut.size() == text.size() ? text : std::string(cut) + " ...";
}

api::Condition accepted(const api::Examination& examination, const Outcome& outcome) {
  const std::string type(api::kAccepted);
  if (!examination.errors.empty()) {
    return {type, false, api::kReasonInvalid, bounded(api::to_string(examination.errors))};
  }
  if (!outcome.not_applied.empty()) {
    return {type, false, api::kReasonNotApplied, bounded(api::to_string(outcome.not_applied))};
  }
  if (!examination.unknown_fields.empty()) {
    return {type, true, api::kReasonUnknownField,
            bounded("The spec is valid, but Kubernetes probably drops " +
                    joined(examination.unknown_fields, "; "))};
  }
  return {type, true, api::kReasonValid, "The spec is valid."};
}

bool is_suspended_job(const Job* job) { return job != nullptr && job->is_suspended; }

// Objects of ours that are being deleted and wanted, so that their names are not free yet; without
// the services pod of a suspended Job, which is deleted with the pods of the Job.
std::vector<std::string> being_deleted(const Observed& observed, const api::MiniCluster& cluster) {
  std::vector<std::string> out;
  const auto add = [&out](const auto& objects) {
    for (const auto& object : objects) {
      if (is_deleted(object->metadata))
        out.push_back(object->kKind + (" " + object->metadata.name));
    }
  };
  add(observed.config_maps);
  add(observed.services);
  if (cluster.spec.pod_disruption_budget) add(observed.pod_disruption_budgets);
  if (!is_suspended_job(observed.find_job(api::job_name(cluster)))) {
    add(observed.owned_pods);
    add(observed.pod_groups);
  }
  add(observed.jobs);
  return out;
}

// The condition once all objects exist: Created, or FieldDropped if the Job lacks a field that it
// needs.
api::Condition created(const Observed& observed, const api::MiniCluster& cluster) {
  const std::string type(api::kObjectsReady);
  const Job* job = observed.find_job(api::job_name(cluster));
  std::vector<std::string> dropped;
  if (job != nullptr) {
    for (const DroppedField& field : dropped_from(*job, cluster)) {
      dropped.push_back("the API server dropped " + field.path + " of the Job, so " +
                        field.consequence + ": " + field.remedy);
    }
  }
  if (dropped.empty() && is_suspended_job(job)) {
    std::vector<std::string> wait;
    if (observed.find_config_map(api::config_map_name(cluster)) == nullptr) {
      wait.emplace_back("the ConfigMap");
    }
    if (!cluster.spec.services.empty()) wait.emplace_back("the services pod");
    if (!wait.empty()) {
      return {type, true, api::kReasonCreated,
              "Every object exists except " + joined(wait, " and ") + ", which " +
                  (wait.size() == 1 ? "waits" : "wait") + " for the Job to start."};
    }
  }
  if (dropped.empty())
    return {type, true, api::kReasonCreated, "Every object of the MiniCluster exists."};
  return {type, true, api::kReasonFieldDropped,
          "Every object exists, but " + joined(dropped, "; ") + "."};
}

// The input of the rules of ObjectsReady below, of which the first that applies decides.
struct ObjectFacts {
  const Observed& observed;
  const api::Examination& examination;
  const Outcome& outcome;
  const Time now;
};
using MaybeCondition = std::optional<api::Condition>;

MaybeCondition not_there(api::KnownReason reason, const std::string& message) {
  return api::Condition{std::string(api::kObjectsReady), false, reason, bounded(message)};
}

MaybeCondition not_accepted(const ObjectFacts& facts) {
  if (facts.examination.errors.empty()) return std::nullopt;
  return not_there(api::kReasonNotAccepted, "Nothing is created while the spec is invalid.");
}

// What a user can do if the headless Service is in the way, besides deleting it: as the name is
// chosen in the spec, another is possible, or sharing it.
std::string remedy_of_taken(const std::vector<std::string>& conflicts,
                            const api::MiniCluster& cluster) {
  const std::string service = "Service " + api::headless_name(cluster);
  const bool is_headless = std::ranges::any_of(conflicts, [&](const std::string& taken) {
    return taken == service || taken.starts_with(service + " ");
  });
  return is_headless
             ? " Alternatively, create the MiniCluster again with another "
               "spec.network.headlessName, or with useExistingService to share that Service."
             : "";
}

MaybeCondition name_taken(const ObjectFacts& facts) {
  if (facts.outcome.conflicts.empty()) return std::nullopt;
  return not_there(api::kReasonNameTaken,
                   joined(facts.outcome.conflicts, "; ") +
                       ": an object of that name exists and does not belong to this MiniCluster. "
                       "The MiniCluster waits until that object is deleted." +
                       remedy_of_taken(facts.outcome.conflicts, facts.examination.cluster));
}

MaybeCondition unusable_service(const ObjectFacts& facts) {
  if (facts.outcome.unusable_service.empty()) return std::nullopt;
  return not_there(api::kReasonServiceUnusable, facts.outcome.unusable_service);
}

MaybeCondition refused(const ObjectFacts& facts) {
  if (facts.outcome.refusals.empty()) return std::nullopt;
  const std::string refusals = joined(facts.outcome.refusals, "; ");
  return not_there(api::kReasonRefused,
                   refusals + remedy_of_quota(refusals, facts.examination.cluster));
}

MaybeCondition deleted(const ObjectFacts& facts) {
  const auto going = being_deleted(facts.observed, facts.examination.cluster);
  if (going.empty()) return std::nullopt;
  return not_there(api::kReasonBeingDeleted, joined(going, " and ") +
                                                 (going.size() == 1 ? " is" : " are") +
                                                 " being deleted, and will be recreated.");
}

// A new MiniCluster, or one that has lost its Job, lacks an object whose creation keeps failing.
MaybeCondition failed_create(const ObjectFacts& facts) {
  if (facts.outcome.failed_creates.empty()) return std::nullopt;
  const MiniCluster& cluster = *facts.observed.cluster;
  const bool was_ready =
      api::find_true_condition(cluster.status.conditions, api::kObjectsReady) != nullptr;
  const bool has_job = facts.observed.find_job(api::job_name(facts.examination.cluster)) != nullptr;
  const auto created = cluster.metadata.created;
  const bool is_new = created && facts.now - *created < kPatience;
  if (was_ready ? has_job : is_new) return std::nullopt;
  return not_there(api::kReasonFailedCreate, facts.outcome.failed_creates.front());
}

bool has_objects(const Observed& observed) {
  return !observed.config_maps.empty() || !observed.services.empty() ||
         !observed.owned_pods.empty() || !observed.jobs.empty();
}

// Nothing: the stored condition stays. So it does for objects of an earlier, valid spec, and after
// a failed request, which is retried and allows no conclusion.
MaybeCondition objects_ready(const ObjectFacts& facts) {
  const bool is_valid = facts.examination.errors.empty();
  if (!is_valid && has_objects(facts.observed)) return std::nullopt;
  for (const auto rule :
       {not_accepted, name_taken, unusable_service, refused, deleted, failed_create}) {
    if (auto found = rule(facts)) return found;
  }
  if (!facts.outcome.errors.empty()) return std::nullopt;
  return created(facts.observed, facts.examination.cluster);
}

bool is_true(const std::vector<api::Condition>& conditions, std::string_view type) {
  return std::ranges::any_of(conditions, [&](const api::Condition& condition) {
    return condition.type == type && condition.status;
  });
}

// `conditions` has Ready. `stored`: the current phase. Once the command has ended, or while a pod
// is about to end, perhaps on a node that is lost, it does not return to Starting.
std::string phase(const Observed& observed, const Job* job,
                  const std::vector<api::Condition>& conditions, const std::string& stored) {
  if (is_true(conditions, api::kComplete)) return api::kPhaseSucceeded;
  if (is_true(conditions, api::kFailed)) return api::kPhaseFailed;
  if (job == nullptr) return api::kPhasePending;
  if (is_true(conditions, api::kSuspended)) {
    if (waits_for_quota(*job)) return api::kPhaseWaiting;
    return why_suspended(observed, *job) ? api::kPhaseQueued : api::kPhaseSuspended;
  }
  const auto ready = std::ranges::find(conditions, api::kReady, &api::Condition::type);
  const bool stays = (ready->reason == api::kReasonFinished && stored != api::kPhaseStarting) ||
                     (stored == api::kPhaseRunning && may_still_run(observed, *job));
  return stays || ready->status ? api::kPhaseRunning : api::kPhaseStarting;
}

// Adds the end to conditions that have Ready.
void add_end(api::Condition end, std::vector<api::Condition>& out) {
  const auto ready = std::ranges::find(out, api::kReady, &api::Condition::type);
  ready->reason = end.reason;        // `kubectl get` shows why
  if (end.type == api::kComplete) {  // tools that wait for Ready are done
    ready->status = true;
    ready->message = end.message;
  }
  out.push_back(std::move(end));
}

// Adds the conditions that come from the Job and its pods.
void add_progress(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
                  const Outcome& outcome, Time now, std::vector<api::Condition>& out) {
  if (auto condition = suspended(observed, job)) out.push_back(std::move(*condition));
  auto quota = quota_reserved(observed, job, outcome.was_past_quota);
  if (auto gang = gang_scheduled(observed, job, cluster, now)) out.push_back(std::move(*gang));
  out.push_back(ready(observed, job, cluster));
  if (quota && waits_for_quota(job)) {
    out.back().reason = quota->reason;  // `kubectl get` shows why it is not ready
    out.back().message = quota->message;
  }
  if (quota) out.push_back(std::move(*quota));
  if (auto end = ended(observed, job, cluster)) add_end(std::move(*end), out);
}

// Adds Ready with the reason why there is no Job, so that `kubectl get` shows it.
void add_why_no_job(std::vector<api::Condition>& out) {
  const auto why = std::ranges::find(out, false, &api::Condition::status);
  const bool is_known = why != out.end();
  api::Condition ready(std::string(api::kReady), false, api::kReasonStarting,
                       "There is no Job yet.");
  if (is_known) {
    ready.reason = why->reason;
    ready.message = "There is no Job: see " + why->type + ".";
  }
  out.push_back(std::move(ready));
}

// Adds what tools wait by (conditions.h): a MiniCluster has stalled once it has failed, and while
// its spec is invalid or not applied. What a cluster may still provide, such as an image or a node,
// does not stall it. `conditions` has Accepted and Ready.
void add_for_waiters(std::vector<api::Condition>& conditions) {
  const auto of = [&](std::string_view type) {
    return std::ranges::find(conditions, type, &api::Condition::type);
  };
  const auto failed = of(api::kFailed), accepted = of(api::kAccepted), ready = of(api::kReady);
  const bool has_failed = failed != conditions.end() && failed->status;
  const bool has_stalled = has_failed || !accepted->status;
  if (of(api::kComplete) != conditions.end() || (!has_stalled && ready->status)) return;
  api::Condition out = has_failed ? *failed : has_stalled ? *accepted : *ready;
  out.type = has_stalled ? api::kStalled : api::kReconciling;
  out.status = true;
  conditions.push_back(std::move(out));
}

// The Job to record: this one, unless it is suspended. A new one that has never started follows one
// that is known not to have ended, which must not count as lost later.
std::string recorded_job(const Job& job, const std::string& before) {
  if (!job.is_suspended) return job.metadata.uid;
  return job.started || job.metadata.uid == before ? before : "";
}

// What conditions say that is a field, too.
void set_results(ClusterStatus& out, const std::vector<api::Condition>& wanted) {
  out.exit_code.reset();
  out.position_in_queue.reset();
  out.estimated_start.reset();
  out.promised_start.reset();
  for (const api::Condition& condition : wanted) {
    if (condition.exit_code) out.exit_code = condition.exit_code;
    if (condition.position) out.position_in_queue = condition.position;
    if (condition.estimated_start) out.estimated_start = condition.estimated_start;
    if (condition.promised_start) out.promised_start = condition.promised_start;
  }
}

void set_counts(ClusterStatus& out, const Observed& observed, const Job* job) {
  static const Job kNone;
  const Job& from = job == nullptr ? kNone : *job;
  out.size = from.parallelism.value_or(0);
  out.ready = job == nullptr ? 0 : ready_pods(observed, *job);
  out.active = from.active;
  out.succeeded = from.succeeded;
  out.failed = from.failed;
  if (from.started) out.started = from.started;
  if (from.completed) out.completed = from.completed;
  if (const std::int64_t times = preemptions_of(from); times > 0) out.preemptions = times;
}

}  // namespace

ClusterStatus status(const Observed& observed, const api::Examination& examination,
                     const Outcome& outcome, Time now) {
  ClusterStatus out = observed.cluster->status;
  if (is_finished(out)) return out;
  const api::MiniCluster& cluster = examination.cluster;
  const Job* job = observed.find_job(api::job_name(cluster));
  std::vector<api::Condition> wanted = {accepted(examination, outcome)};
  const bool ended_before = job == nullptr && may_have_ended(observed, cluster);
  if (ended_before) {
    auto end = end_without_job(observed, cluster);
    if (!end) end = outcome.end_of_lost_job;
    if (!end) return out;  // pods that are about to go still hide it
    wanted.push_back(
        {std::string(api::kReady), false, api::kReasonFinished, "The MiniCluster has ended."});
    add_end(std::move(*end), wanted);
  } else {
    if (auto objects = objects_ready({observed, examination, outcome, now})) {
      wanted.push_back(std::move(*objects));
    }
    if (job != nullptr) {
      add_progress(observed, *job, cluster, outcome, now, wanted);
    } else {
      add_why_no_job(wanted);
    }
  }
  for (api::Condition& condition : wanted) condition.message = bounded(condition.message);
  add_for_waiters(wanted);

  out.phase = phase(observed, job, wanted, out.phase);
  if (!ended_before) set_counts(out, observed, job);
  set_results(out, wanted);
  out.maximum_size = cluster.spec.max_size;
  out.selector = api::scale_selector(cluster);
  if (job != nullptr) out.job_id = recorded_job(*job, out.job_id);
  const bool is_over = is_true(wanted, api::kFailed) || is_true(wanted, api::kComplete);
  if (is_over && !out.completed) out.completed = now;
  out.conditions =
      api::with_conditions(std::move(out.conditions), wanted, cluster.generation, rfc3339(now));
  out.observed_generation = cluster.generation;
  return out;
}

}  // namespace mc::controller
