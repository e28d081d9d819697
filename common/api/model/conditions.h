#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/base/shared_text.h"

// Conditions of a MiniCluster's status (metav1.Condition), documented in docs/lifecycle.md. Users
// wait for them: `kubectl wait --for=condition=Accepted mc/x`.
namespace mc::api {

// The spec is valid.
inline constexpr std::string_view kAccepted = "Accepted";
// Every object of the MiniCluster exists and belongs to it.
inline constexpr std::string_view kObjectsReady = "ObjectsReady";
// The Job has no pods, because the user or a queueing system has suspended it.
inline constexpr std::string_view kSuspended = "Suspended";
// The limits of a FluxSetup allow it to run. Only while there is one.
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
// As many pods are ready as the command needs, or it has ended with 0.
inline constexpr std::string_view kReady = "Ready";
// The end, one of the two: afterwards nothing is created or changed for the MiniCluster.
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";
// What tools wait by (sigs.k8s.io/cli-utils, kstatus). Each exists only while it is true: it is on
// its way to Ready, or it needs somebody who changes it.
inline constexpr std::string_view kReconciling = "Reconciling";
inline constexpr std::string_view kStalled = "Stalled";
// Whether it is one of these two, which repeat the reason and message of another condition.
bool is_for_waiters(std::string_view type);

// Reasons that more than one file names. The others are where the conditions are set.
inline constexpr const char* kReasonValid = "Valid";
inline constexpr const char* kReasonUnknownField = "UnknownField";  // of Accepted, which is true
inline constexpr const char* kReasonNotAccepted = "NotAccepted";
inline constexpr const char* kReasonStarting = "Starting";
inline constexpr const char* kReasonSuspended = "Suspended";
inline constexpr const char* kReasonFinished = "Finished";
inline constexpr const char* kReasonWaiting = "Waiting";
inline constexpr const char* kReasonNeverFits = "NeverFits";
inline constexpr const char* kReasonGrowthWaits = "GrowthWaits";
inline constexpr const char* kReasonReserved = "Reserved";
inline constexpr const char* kReasonCommandFailed = "CommandFailed";
inline constexpr const char* kReasonDeadlineExceeded = "DeadlineExceeded";

// status.phase; the CRD lists the same.
inline constexpr const char* kPhasePending = "Pending";
inline constexpr const char* kPhaseWaiting = "Waiting";
inline constexpr const char* kPhaseStarting = "Starting";
inline constexpr const char* kPhaseRunning = "Running";
inline constexpr const char* kPhaseSuspended = "Suspended";
inline constexpr const char* kPhaseQueued = "Queued";
inline constexpr const char* kPhaseSucceeded = "Succeeded";
inline constexpr const char* kPhaseFailed = "Failed";
inline constexpr std::array kPhases = {kPhasePending,   kPhaseWaiting,   kPhaseStarting,
                                       kPhaseRunning,   kPhaseSuspended, kPhaseQueued,
                                       kPhaseSucceeded, kPhaseFailed};

struct Condition {
  std::string type;
  bool status = false;
  std::string reason;   // CamelCase
  std::string message;  // a sentence for users
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
