#pragma once
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "common/base/result.h"
#include "services/controller/cache/observed.h"

namespace mc::controller {

// What became of the plan's writes.
struct Outcome {
  // Objects whose name is taken by something that is not ours, as `Kind name`.
  std::vector<std::string> conflicts;
  // Objects of ours, as `Kind name`, that were there and that the plan did not know of.
  std::vector<std::string> unseen;
  // What the API server refused (policy, quota, an invalid embedded part), in its words.
  std::vector<std::string> refusals;
  // A write that may work later (no connection, time-out): nothing is concluded from it.
  std::vector<Error> errors;
};

// The whole status that `cluster` should have. Pure and computed from observation; what is taken
// over from the stored status are times, conditions that it does not know, and the end: a status
// that says Complete or Failed stays as it is.
// `now` is RFC 3339 in UTC.
json status(const Observed& observed, const api::Examination& examination, const Outcome& outcome,
            const std::string& now);

// What a person should be told of the change from one status to the next: at most one event for
// each condition whose status or reason changed.
struct Notice {
  bool warning = false;
  std::string reason;
  std::string message;
};
std::vector<Notice> notices(const json& before, const json& after);

}  // namespace mc::controller
