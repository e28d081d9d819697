#include "services/controller/status.h"

#include <algorithm>
#include <iterator>

#include "common/api/conditions.h"
#include "common/api/names.h"
#include "common/base/json_path.h"
#include "common/base/utf8.h"
#include "services/controller/plan.h"

namespace mc::controller {
namespace {

// A condition's message may have 32768 bytes (metav1.Condition); a list of errors may have more.
constexpr std::size_t kMostMessage = 16384;

std::string bounded(const std::string& text) {
  const std::string_view cut = cut_utf8(text, kMostMessage);
  return cut.size() == text.size() ? text : std::string(cut) + " ...";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

api::Condition accepted(const api::Examination& examination) {
  if (examination.errors.empty()) {
    return {std::string(api::kAccepted), true, "Valid", "The spec is valid."};
  }
  return {std::string(api::kAccepted), false, "Invalid",
          bounded(api::to_string(examination.errors))};
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
             bounded(joined(outcome.conflicts) +
                     ": an object of that name exists and is not of this MiniCluster; delete or "
                     "rename it, it is tried again")}};
  }
  if (!outcome.refusals.empty()) {
    return {{type, false, "Refused", bounded(joined(outcome.refusals))}};
  }
  // Nothing is concluded from a write that failed on the way and is tried again.
  if (!outcome.errors.empty()) return {};
  return {{type, true, "Created", "Every object of the MiniCluster exists."}};
}

std::string phase(const json* job, const api::Spec& spec) {
  if (job == nullptr) return "Pending";
  if (has_condition(job, "Complete")) return "Succeeded";
  if (has_condition(job, "Failed")) return "Failed";
  if (at_path(*job, {"spec", "suspend"}) == true) return "Suspended";
  const std::int64_t quorum = spec.min_size > 0 ? spec.min_size : spec.size;
  return integer_at(*job, {"status", "ready"}) >= quorum ? "Running" : "Starting";
}

void set_counts(json& out, const json* job) {
  const json none = json::object();
  const json& from = job == nullptr ? none : *job;
  for (const char* count : {"ready", "active", "succeeded", "failed"}) {
    out[count] = integer_at(from, {"status", count});
  }
  for (const char* time : {"startTime", "completionTime"}) {
    if (const std::string at = text_at(from, {"status", time}); !at.empty()) out[time] = at;
  }
}

}  // namespace

json status(const Observed& observed, const api::Examination& examination, const Outcome& outcome,
            const std::string& now) {
  const json& stored = at_path(*observed.cluster, {"status"});
  json out = stored.is_object() ? stored : json::object();
  const json* job = observed.find("Job", examination.cluster.name);
  // Once finished it stays so: the Job may be cleaned away, and counts with it.
  const std::string before = text_at(out, {"phase"});
  if (before == "Succeeded" || before == "Failed") return out;

  out["phase"] = phase(job, examination.cluster.spec);
  out["size"] = job == nullptr ? 0 : integer_at(*job, {"spec", "parallelism"});
  out["maximumSize"] = examination.cluster.spec.max_size;
  out["selector"] = api::scale_selector(examination.cluster);
  out["jobid"] = text_at(out, {"jobid"});
  set_counts(out, job);
  std::vector<api::Condition> wanted = {accepted(examination)};
  std::ranges::move(objects_ready(observed, examination, outcome), std::back_inserter(wanted));
  out["conditions"] = api::with_conditions(at_path(out, {"conditions"}), wanted,
                                           examination.cluster.generation, now);
  out["observedGeneration"] = examination.cluster.generation;
  return out;
}

std::vector<Notice> notices(const json& before, const json& after) {
  std::vector<Notice> out;
  const json& old_conditions = at_path(before, {"conditions"});
  const json& new_conditions = at_path(after, {"conditions"});
  if (!new_conditions.is_array()) return out;
  for (const json& condition : new_conditions) {
    const json* old = api::find_condition(old_conditions, text_at(condition, {"type"}));
    const std::string reason = text_at(condition, {"reason"});
    const bool good = text_at(condition, {"status"}) == "True";
    if (old != nullptr && text_at(*old, {"reason"}) == reason) continue;
    // That a spec is valid is news only after it was not; that nothing follows from an invalid
    // spec is no news beside it.
    if (reason == "NotAccepted" || (old == nullptr && reason == "Valid")) continue;
    out.push_back({!good, reason, text_at(condition, {"message"})});
  }
  return out;
}

}  // namespace mc::controller
