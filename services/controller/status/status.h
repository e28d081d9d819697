#pragma once
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "common/base/result.h"
#include "services/controller/cache/observed.h"

namespace mc::controller {

// What a reconcile has found out beside what is observed: what became of the plan's writes, and
// what was not planned.
struct Outcome {
  // Objects whose name is taken by something that is not ours, as `Kind name`.
  std::vector<std::string> conflicts;
  // Objects of ours, as `Kind name`, that were there and that the plan did not know of.
  std::vector<std::string> unseen;
  // What the API server refused (policy, quota, an invalid embedded part), in its words.
  std::vector<std::string> refusals;
  // A write that may work later (no connection, time-out): nothing is concluded from it.
  std::vector<Error> errors;
  // An error for each field that has changed since the Job was made and cannot be applied to it.
  std::vector<api::FieldError> not_applied;
};

// The whole status that `cluster` should have. Pure and computed from observation; what is taken
// over from the stored status are times, conditions that it does not know, and the end: a status
// that says Complete or Failed stays as it is.
// `now` is RFC 3339 in UTC.
json status(const Observed& observed, const api::Examination& examination, const Outcome& outcome,
            const std::string& now);

// The condition of a status that says that the MiniCluster has ended: Complete or Failed. Null
// before.
const json* final_condition(const json& status);

// True once the status says so: nothing is created or changed for the MiniCluster after that. The
// one thing that is ever read back from status, since the Job may be gone by then.
bool is_finished(const json& status);

}  // namespace mc::controller
