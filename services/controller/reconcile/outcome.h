#pragma once
#include <optional>
#include <string>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/field.h"
#include "common/base/result.h"

namespace mc::controller {

// What a reconcile found out in addition to what is observed: the results of the writes, and what
// was not planned.
struct Outcome {
  // Objects whose name is taken by an object that is not ours, as `Kind name (of whom)`.
  std::vector<std::string> conflicts{};
  // Why the existing Service that the spec names cannot be used; "" if it can.
  std::string unusable_service{};
  // Objects of ours, as `Kind name`, that existed without the plan knowing them.
  std::vector<std::string> unseen{};
  // A Job was neither created nor resumed, because the limits of a FluxSetup have changed since the
  // plan was made.
  bool may_not_start = false;
  // Messages of the API server about refused writes (policy, quota, an invalid embedded part).
  std::vector<std::string> refusals{};
  // The API server's message about a PodGroup that this controller may not create; "" if it may.
  std::string refused_group{};
  // Requests that failed and are retried (no connection, timeout, conflict).
  std::vector<Error> errors{};
  // The messages of those of them that should have created an object.
  std::vector<std::string> failed_creates{};
  // An error for each field that has changed since the Job was created and cannot be applied to it.
  std::vector<api::FieldError> not_applied{};
  // The end of a Job that the controller did not see go (lost_job.h).
  std::optional<api::Condition> end_of_lost_job{};
  // The Job was resumed past the limits of a FluxSetup, and is suspended again.
  bool was_past_quota = false;
};

}  // namespace mc::controller
