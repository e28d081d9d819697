#include "common/api/model/conditions.h"

#include <algorithm>

namespace mc::api {
namespace {

auto has_type(std::string_view type) {
  return [type](const StoredCondition& condition) { return condition.type == type; };
}

}  // namespace

const StoredCondition* find_condition(const StoredConditions& conditions, std::string_view type) {
  const auto found = std::ranges::find_if(conditions, has_type(type));
  return found == conditions.end() ? nullptr : &*found;
}

const StoredCondition* find_true_condition(const StoredConditions& conditions,
                                           std::string_view type) {
  const StoredCondition* found = find_condition(conditions, type);
  return found != nullptr && found->is_true() ? found : nullptr;
}

const json* find_condition(const json& conditions, std::string_view type) {
  for (const json& condition : items_at(conditions, {})) {
    if (at_path(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

const json* find_true_condition(const json& conditions, std::string_view type) {
  const json* found = find_condition(conditions, type);
  return found != nullptr && found->value("status", json()) == "True" ? found : nullptr;
}

const json* condition_of(const json& object, std::string_view type) {
  return find_condition(at_path(object, {"status", "conditions"}), type);
}

const json* true_condition_of(const json& object, std::string_view type) {
  return find_true_condition(at_path(object, {"status", "conditions"}), type);
}

bool is_for_waiters(std::string_view type) { return type == kReconciling || type == kStalled; }

StoredConditions with_conditions(StoredConditions before, const std::vector<Condition>& wanted,
                                 std::int64_t generation, const std::string& now) {
  std::erase_if(before, [&](const StoredCondition& there) {
    return is_for_waiters(there.type) &&
           std::ranges::find(wanted, there.type.str(), &Condition::type) == wanted.end();
  });
  for (const Condition& condition : wanted) {
    auto at = std::ranges::find_if(before, has_type(condition.type));
    if (at == before.end()) at = before.insert(at, {.type = condition.type});
    const std::string status = condition.status ? "True" : "False";
    if (at->status != status) at->last_transition_time = now;
    at->status = status;
    at->reason = condition.reason;
    at->message = condition.message;
    at->observed_generation = generation;
  }
  return before;
}

}  // namespace mc::api
