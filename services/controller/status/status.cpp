#include "services/controller/status/status.h"

#include <algorithm>
#include <iterator>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json_path.h"
#include "common/base/text.h"
#include "common/base/utf8.h"
#include "services/controller/reconcile/job_record.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/dropped_fields.h"
#include "services/controller/status/job_conditions.h"

namespace mc::controller {
namespace {

// A condition's message may have 32768 bytes (metav1.Condition); a list of errors may have more.
constexpr std::size_t kMostMessage = 16384;

// Objects are there, and still somebody has to do something.
constexpr const char* kFieldDropped = "FieldDropped";

std::string bounded(const std::string& text) {
  const std::string_view cut = cut_utf8(text, kMostMessage);
  return cut.size() == text.size() ? text : std::string(cut) + " ...";
}

api::Condition accepted(const json* job, const api::Examination& examination) {
  const std::string type(api::kAccepted);
  if (!examination.errors.empty()) {
    return {type, false, "Invalid", bounded(api::to_string(examination.errors))};
  }
  if (job != nullptr) {
    const std::vector<api::FieldError> left = not_applied(*job, examination);
    if (!left.empty() && !can_be_replaced(*job, left))
      return {type, false, "NotApplied", bounded(api::to_string(left))};
  }
  return {type, true, "Valid", "The spec is valid."};
}

bool is_held(const json* job) {
  return job != nullptr && at_path(*job, {"spec", "suspend"}) == true;
}

// Those of ours whose names are not free yet; without the services of a Job that is held, which go
// with its pods.
std::vector<std::string> being_deleted(const Observed& observed, const api::MiniCluster& cluster) {
  std::vector<std::string> out;
  const bool held = is_held(observed.find("Job", api::job_name(cluster)));
  for (const Snapshot& object : observed.owned) {
    if (held && text_at(*object, {"kind"}) == "Pod") continue;
    if (text_at(*object, {"metadata", "deletionTimestamp"}).empty()) continue;
    out.push_back(text_at(*object, {"kind"}) + " " + text_at(*object, {"metadata", "name"}));
  }
  return out;
}

// That all of them are there, and whether the Job is as it was asked for.
api::Condition created(const Observed& observed, const api::MiniCluster& cluster) {
  const std::string type(api::kObjectsReady);
  const json* job = observed.find("Job", api::job_name(cluster));
  std::vector<std::string> dropped;
  if (job != nullptr) {
    for (const DroppedField& field : dropped_policies(*job, cluster)) {
      dropped.push_back("the API server dropped " + field.path + " of the Job, so that " +
                        field.consequence + ": " + field.remedy);
    }
  }
  if (dropped.empty() && is_held(job) && !cluster.spec.services.empty()) {
    return {type, true, "Created",
            "Every object exists but the services pod, which waits with the Job."};
  }
  if (dropped.empty()) return {type, true, "Created", "Every object of the MiniCluster exists."};
  return {type, true, kFieldDropped, "Every object exists, but " + joined(dropped, "; ") + "."};
}

std::vector<api::Condition> objects_ready(const Observed& observed,
                                          const api::Examination& examination,
                                          const Outcome& outcome) {
  const std::string type(api::kObjectsReady);
  if (!examination.errors.empty()) {
    // Objects of an earlier, valid spec stay as they are.
    if (!observed.owned.empty()) return {};
    return {{type, false, "NotAccepted", "Nothing is created while the spec is invalid."}};
  }
  if (!outcome.conflicts.empty()) {
    return {{type, false, "NameTaken",
             bounded(joined(outcome.conflicts, "; ") +
                     ": an object of that name exists and is not of this MiniCluster, which waits "
                     "until that one is gone")}};
  }
  if (!outcome.refusals.empty()) {
    return {{type, false, "Refused", bounded(joined(outcome.refusals, "; "))}};
  }
  if (const std::vector<std::string> going = being_deleted(observed, examination.cluster);
      !going.empty()) {
    return {{type, false, "BeingDeleted",
             bounded(joined(going, "; ") + ": is being deleted, and made again when it is gone")}};
  }
  // Nothing is concluded from a write that failed on the way and is tried again.
  if (!outcome.errors.empty()) return {};
  return {created(observed, examination.cluster)};
}

bool is_true(const std::vector<api::Condition>& conditions, std::string_view type) {
  return std::ranges::any_of(conditions, [&](const api::Condition& condition) {
    return condition.type == type && condition.status;
  });
}

bool has_reason(const std::vector<api::Condition>& conditions, std::string_view type,
                std::string_view reason) {
  return std::ranges::any_of(conditions, [&](const api::Condition& condition) {
    return condition.type == type && condition.reason == reason;
  });
}

// `stored`: the phase so far. From the command's end on there is no way back to Starting.
std::string phase(const Observed& observed, const json* job,
                  const std::vector<api::Condition>& conditions, const std::string& stored) {
  if (job == nullptr) return "Pending";
  if (is_true(conditions, api::kComplete)) return "Succeeded";
  if (is_true(conditions, api::kFailed)) return "Failed";
  if (is_true(conditions, api::kSuspended)) {
    return why_held(observed, *job) ? "Queued" : "Suspended";
  }
  const bool ending = has_reason(conditions, api::kReady, "Finished") && stored != "Starting";
  return ending || is_true(conditions, api::kReady) ? "Running" : "Starting";
}

// What the Job and its pods tell, beside Accepted and ObjectsReady.
void add_progress(const Observed& observed, const json& job, const api::MiniCluster& cluster,
                  std::vector<api::Condition>& out) {
  if (auto condition = suspended(observed, job)) out.push_back(std::move(*condition));
  out.push_back(ready(observed, job, cluster));
  if (auto end = ended(observed, job, cluster)) {
    out.back().reason = end->reason;  // `kubectl get` shows why it is not ready
    out.push_back(std::move(*end));
  }
  for (api::Condition& condition : out) condition.message = bounded(condition.message);
}

// What keeps it from being made, so that `kubectl get` shows that, too.
void add_why_no_job(std::vector<api::Condition>& out) {
  const auto why = std::ranges::find(out, false, &api::Condition::status);
  if (why == out.end()) return;
  out.push_back(
      {std::string(api::kReady), false, why->reason, "There is no Job: see " + why->type + "."});
}

void set_counts(json& out, const Observed& observed, const json* job) {
  const json none = json::object();
  const json& from = job == nullptr ? none : *job;
  for (const char* count : {"ready", "active", "succeeded", "failed"}) {
    out[count] = integer_at(from, {"status", count});
  }
  if (job != nullptr) out["ready"] = ready_pods(observed, *job);
  for (const char* time : {"startTime", "completionTime"}) {
    if (const std::string at = text_at(from, {"status", time}); !at.empty()) out[time] = at;
  }
}

// Another condition has the same reason: why there is no Job, or why it has ended.
bool is_told_by_another(const json& conditions, const json& ready) {
  return std::ranges::any_of(conditions, [&](const json& other) {
    return text_at(other, {"type"}) != api::kReady &&
           text_at(other, {"reason"}) == text_at(ready, {"reason"});
  });
}

// What is on its way, or what another condition tells already.
bool is_news(const json& condition, const json* before) {
  const std::string type = text_at(condition, {"type"}), reason = text_at(condition, {"reason"});
  if (before != nullptr && text_at(*before, {"reason"}) == reason) return false;
  // That a spec is valid is news only after it was not; that nothing follows from an invalid spec
  // is no news beside it.
  if (type == api::kAccepted) return reason != "Valid" || before != nullptr;
  if (type == api::kReady) {
    return reason != "Starting" && reason != "Suspended" && reason != "Finished";
  }
  return reason != "NotAccepted";
}

// A queue that holds it is no trouble: it will have its turn.
bool is_bad(const json& condition, bool held) {
  const std::string type = text_at(condition, {"type"});
  const bool holds = text_at(condition, {"status"}) == "True";
  if (type == api::kSuspended || (type == api::kReady && held)) return false;
  if (text_at(condition, {"reason"}) == kFieldDropped) return true;
  return type == api::kFailed ? holds : !holds;
}

}  // namespace

json status(const Observed& observed, const api::Examination& examination, const Outcome& outcome,
            const std::string& now) {
  const json& stored = at_path(*observed.cluster, {"status"});
  json out = stored.is_object() ? stored : json::object();
  if (is_finished(out)) return out;
  const api::MiniCluster& cluster = examination.cluster;
  const json* job = observed.find("Job", api::job_name(cluster));
  std::vector<api::Condition> wanted = {accepted(job, examination)};
  std::ranges::move(objects_ready(observed, examination, outcome), std::back_inserter(wanted));
  if (job != nullptr) {
    add_progress(observed, *job, cluster, wanted);
  } else {
    add_why_no_job(wanted);
  }

  out["phase"] = phase(observed, job, wanted, text_at(out, {"phase"}));
  out["size"] = job == nullptr ? 0 : integer_at(*job, {"spec", "parallelism"});
  out["maximumSize"] = cluster.spec.max_size;
  out["selector"] = api::scale_selector(cluster);
  out["jobid"] = text_at(out, {"jobid"});
  set_counts(out, observed, job);
  if (is_true(wanted, api::kFailed) && !out.contains("completionTime")) out["completionTime"] = now;
  out["conditions"] =
      api::with_conditions(at_path(out, {"conditions"}), wanted, cluster.generation, now);
  out["observedGeneration"] = cluster.generation;
  return out;
}

std::vector<Notice> notices(const json& before, const json& after) {
  std::vector<Notice> out;
  const json& conditions = at_path(after, {"conditions"});
  if (!conditions.is_array()) return out;
  const json* suspended = api::find_condition(conditions, api::kSuspended);
  const bool held = suspended != nullptr && text_at(*suspended, {"status"}) == "True";
  for (const json& condition : conditions) {
    const std::string type = text_at(condition, {"type"});
    if (type == api::kReady && is_told_by_another(conditions, condition)) continue;
    const json* old = api::find_condition(at_path(before, {"conditions"}), type);
    if (!is_news(condition, old)) continue;
    out.push_back(
        {is_bad(condition, held), text_at(condition, {"reason"}), text_at(condition, {"message"})});
  }
  return out;
}

}  // namespace mc::controller
