#include "common/api/model/conditions.h"

#include <algorithm>

namespace mc::api {
namespace {

json* find(json& conditions, std::string_view type) {
  return const_cast<json*>(find_condition(conditions, type));
}

}  // namespace

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

json with_conditions(const json& before, const std::vector<Condition>& wanted,
                     std::int64_t generation, const std::string& now) {
  json out = json::array();
  for (const json& condition : items_at(before, {})) {
    const std::string type = text_at(condition, {"type"});
    const bool is_wanted =
        std::ranges::find(wanted, type, &Condition::type) != std::ranges::end(wanted);
    if (is_wanted || !is_for_waiters(type)) out.push_back(condition);
  }
  for (const Condition& condition : wanted) {
    const std::string status = condition.status ? "True" : "False";
    json* at = find(out, condition.type);
    if (at == nullptr) {
      out.push_back({{"type", condition.type}});
      at = &out.back();
    }
    if (at->value("status", json()) != status) (*at)["lastTransitionTime"] = now;
    (*at)["status"] = status;
    (*at)["reason"] = condition.reason;
    (*at)["message"] = condition.message;
    (*at)["observedGeneration"] = generation;
  }
  return out;
}

}  // namespace mc::api
