#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/api/model/reasons.h"
#include "common/base/json.h"
#include "common/base/shared_text.h"

// Conditions of a MiniCluster's status (metav1.Condition), documented in docs/lifecycle.md. Users
// wait for them: `kubectl wait --for=condition=Accepted mc/x`.
namespace mc::api {

// Whether it is Reconciling or Stalled, which repeat the reason and message of another condition.
bool is_for_waiters(std::string_view type);

// The places in the queue that status.positionInQueue tells exactly.
inline constexpr std::int64_t kExactPositions = 10;

struct Condition {
  Condition() = default;
  Condition(std::string of, bool holds, KnownReason why, std::string sentence)
      : type(std::move(of)), status(holds), reason(why.name()), message(std::move(sentence)) {}

  std::string type;
  bool status = false;
  std::string reason;   // of kReasons; or passed on, assigned afterwards
  std::string message;  // a sentence for users
  // What is also a field of the status: exitCode, positionInQueue, estimatedStartTime,
  // promisedStartTime.
  std::optional<std::int64_t> exit_code, position;
  std::optional<std::chrono::sys_seconds> estimated_start, promised_start;

  friend bool operator==(const Condition&, const Condition&) = default;
};

// One of status.conditions as it is stored; absent: "" or nothing.
struct StoredCondition {
  SharedText type{};
  SharedText status{};  // True, False or Unknown
  SharedText reason{}, message{};
  SharedText last_transition_time{};  // RFC 3339
  std::optional<std::int64_t> observed_generation{};

  bool is_true() const { return status == "True"; }
  friend bool operator==(const StoredCondition&, const StoredCondition&) = default;
};
using StoredConditions = std::vector<StoredCondition>;

// `before` with the `wanted` conditions set. Others stay, except Reconciling and Stalled;
// lastTransitionTime changes only with the status. `now` is RFC 3339 in UTC.
StoredConditions with_conditions(StoredConditions before, const std::vector<Condition>& wanted,
                                 std::int64_t generation, const std::string& now);

// The condition of that type; null without one.
const StoredCondition* find_condition(const StoredConditions& conditions, std::string_view type);

// The same if its status is True, otherwise null.
const StoredCondition* find_true_condition(const StoredConditions& conditions,
                                           std::string_view type);

// The condition of that type; null without one.
const json* find_condition(const json& conditions, std::string_view type);

// The same if its status is True, otherwise null.
const json* find_true_condition(const json& conditions, std::string_view type);

// The same of an object's status.conditions.
const json* condition_of(const json& object, std::string_view type);
const json* true_condition_of(const json& object, std::string_view type);

}  // namespace mc::api
