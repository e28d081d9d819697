#include "services/controller/status/events.h"

#include <algorithm>
#include <optional>

#include "common/api/model/conditions.h"

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

// True if the Job waited for limits only: QuotaReserved says that it no longer does.
bool is_told_by_quota(const api::StoredCondition& was, const api::StoredCondition& condition) {
  return condition.type == api::kSuspended && was.reason == api::kReasonWaiting &&
         condition.reason == api::kReasonResumed;
}

// Of a reason that is passed on: a Job has failed, or Kueue holds one, which is no problem.
api::News news_of(const api::StoredCondition& condition) {
  const api::ReasonRow* row = api::find_reason(condition.type.str(), condition.reason.str());
  if (row != nullptr) return row->news;
  return condition.type == api::kFailed ? api::News::Warning : api::News::Normal;
}

}  // namespace

std::vector<StatusEvent> events(const ClusterStatus& before, const ClusterStatus& after) {
  std::vector<StatusEvent> out;
  for (const api::StoredCondition& condition : after.conditions) {
    if (api::is_for_waiters(condition.type)) continue;
    if (condition.type == api::kReady && is_told_by_another(after.conditions, condition)) continue;
    const api::StoredCondition* was = api::find_condition(before.conditions, condition.type);
    if (was != nullptr && was->reason == condition.reason) continue;
    if (was != nullptr && is_told_by_quota(*was, condition)) continue;
    const api::News news = news_of(condition);
    if (news == api::News::None || (news == api::News::Again && was == nullptr)) continue;
    const bool is_end = condition.type == api::kComplete || condition.type == api::kFailed;
    out.push_back({news == api::News::Warning, condition.reason, condition.message,
                   is_end ? after.exit_code : std::nullopt});
  }
  return out;
}

}  // namespace mc::controller
