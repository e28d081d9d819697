#include "services/controller/status/events.h"

#include <algorithm>
#include <tuple>

#include "common/api/model/conditions.h"
#include "services/controller/status/dropped_fields.h"

namespace mc::controller {
namespace {

// True if another condition has the same reason: why there is no Job, or why it has ended.
bool is_told_by_another(const api::StoredConditions& conditions,
                        const api::StoredCondition& ready) {
  return std::ranges::any_of(conditions, [&](const api::StoredCondition& other) {
    return other.type != api::kReady && !api::is_for_waiters(other.type) &&
           other.reason == ready.reason;
  });
}

// False for a start in progress, and for what another condition says already.
bool is_news(const api::StoredCondition& condition, const api::StoredCondition* before) {
  const auto& [type, reason] = std::tie(condition.type, condition.reason);
  if (before != nullptr && before->reason == reason) return false;
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
bool is_bad(const api::StoredCondition& condition, bool held) {
  const std::string& type = condition.type;
  const bool holds = condition.is_true();
  if (type == api::kQuotaReserved) return !holds && condition.reason != api::kReasonWaiting;
  if (type == api::kSuspended || (type == api::kReady && held)) return false;
  for (const char* const told : {kFieldDropped, api::kReasonUnknownField}) {
    if (condition.reason == told) return true;
  }
  return type == api::kFailed ? holds : !holds;
}

}  // namespace

std::vector<StatusEvent> events(const ClusterStatus& before, const ClusterStatus& after) {
  std::vector<StatusEvent> out;
  const bool held = api::find_true_condition(after.conditions, api::kSuspended) != nullptr;
  for (const api::StoredCondition& condition : after.conditions) {
    if (api::is_for_waiters(condition.type)) continue;
    if (condition.type == api::kReady && is_told_by_another(after.conditions, condition)) continue;
    if (!is_news(condition, api::find_condition(before.conditions, condition.type))) continue;
    out.push_back({is_bad(condition, held), condition.reason, condition.message});
  }
  return out;
}

}  // namespace mc::controller
