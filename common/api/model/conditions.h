#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

// Conditions and phases of a MiniCluster's status (metav1.Condition; the words are documented in
// docs/lifecycle.md and are what users wait for: `kubectl wait --for=condition=Accepted mc/x`).
namespace mc::api {

// The spec is one that can work.
inline constexpr std::string_view kAccepted = "Accepted";
// Every object of the MiniCluster exists and is ours.
inline constexpr std::string_view kObjectsReady = "ObjectsReady";
// The Job has no pods, because the user or a queueing system holds it.
inline constexpr std::string_view kSuspended = "Suspended";
// As many pods are ready as the command needs.
inline constexpr std::string_view kReady = "Ready";
// The end, one of the two: nothing is made or changed for the MiniCluster after it.
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";

struct Condition {
  std::string type;
  bool status = false;
  std::string reason;   // CamelCase
  std::string message;  // a sentence for a person
};

// The list that results when `wanted` is set on `before` (status.conditions as stored; anything
// else than an array counts as empty): conditions that are not wanted stay, lastTransitionTime
// changes with the status only. `now` is RFC 3339 in UTC.
json with_conditions(const json& before, const std::vector<Condition>& wanted,
                     std::int64_t generation, const std::string& now);

// Null where there is no condition of that type.
const json* find_condition(const json& conditions, std::string_view type);

// The same where its status is True; else null.
const json* find_true_condition(const json& conditions, std::string_view type);

}  // namespace mc::api
