#include "services/controller/status/events.h"

#include <algorithm>

#include "common/api/model/conditions.h"
#include "common/base/json.h"
#include "services/controller/status/dropped_fields.h"

namespace mc::controller {
namespace {

// True if another condition has the same reason: why there is no Job, or why it has ended.
bool is_told_by_another(const json& conditions, const json& ready) {
  return std::ranges::any_of(conditions, [&](const json& other) {
    const std::string type = text_at(other, {"type"});
    return type != api::kReady && !api::is_for_waiters(type) &&
           text_at(other, {"reason"}) == text_at(ready, {"reason"});
  });
}

// False for a start in progress, and for what another condition says already.
bool is_news(const json& condition, const json* before) {
  const std::string type = text_at(condition, {"type"}), reason = text_at(condition, {"reason"});
  if (before != nullptr && text_at(*before, {"reason"}) == reason) return false;
  // A valid spec is news only after an invalid one. NotAccepted only repeats that the spec is
  // invalid.
  if (type == api::kAccepted) return reason != api::kReasonValid || before != nullptr;
  // It starts at once, or its owner knows that it is suspended.
  if (type == api::kQuotaReserved &&
      (reason == api::kReasonReserved || reason == api::kReasonSuspended)) {
    return before != nullptr && reason == api::kReasonReserved;
  }
  if (type == api::kSuspended && reason == api::kReasonWaiting)
    return false;  // QuotaReserved says why
  if (type == api::kReady) {
    return reason != api::kReasonStarting && reason != api::kReasonSuspended &&
           reason != api::kReasonFinished;
  }
  return reason != api::kReasonNotAccepted;
}

// A queued Job is no problem: it will be admitted later.
bool is_bad(const json& condition, bool held) {
  const std::string type = text_at(condition, {"type"});
  const bool holds = text_at(condition, {"status"}) == "True";
  if (type == api::kQuotaReserved)
    return !holds && text_at(condition, {"reason"}) != api::kReasonWaiting;
  if (type == api::kSuspended || (type == api::kReady && held)) return false;
  for (const char* const told : {kFieldDropped, api::kReasonUnknownField}) {
    if (text_at(condition, {"reason"}) == told) return true;
  }
  return type == api::kFailed ? holds : !holds;
}

}  // namespace

std::vector<StatusEvent> events(const json& before, const json& after) {
  std::vector<StatusEvent> out;
  const json& conditions = at_path(after, {"conditions"});
  const bool held = api::find_true_condition(conditions, api::kSuspended) != nullptr;
  for (const json& condition : items_at(conditions, {})) {
    const std::string type = text_at(condition, {"type"});
    if (api::is_for_waiters(type)) continue;
    if (type == api::kReady && is_told_by_another(conditions, condition)) continue;
    const json* old = api::find_condition(at_path(before, {"conditions"}), type);
    if (!is_news(condition, old)) continue;
    out.push_back(
        {is_bad(condition, held), text_at(condition, {"reason"}), text_at(condition, {"message"})});
  }
  return out;
}

}  // namespace mc::controller
