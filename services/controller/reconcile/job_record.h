#pragma once
#include "common/api/examine.h"
#include "common/base/json.h"
#include "services/controller/cache/observed.h"

// What a Job was created from, recorded in its annotations, so that a spec that was changed without
// the webhook is never applied in part. Pure.
namespace mc::controller {

// The MiniCluster with the maxSize that its Job was created with, if the spec has none: the size at
// creation is the upper limit, whatever the size is now. `job` may be null.
json with_ceiling(json cluster, const json* job);

// Examines the stored MiniCluster with the messages of admission, with_ceiling() applied. Once the
// Job exists, an unknown field is a warning, whatever `fields` says: the API server has dropped it
// by then, and what an earlier version accepted keeps running.
api::Examination examine(const Observed& observed, api::FieldValidation fields);

// Annotations for a new Job of this MiniCluster: maxSize, the quorum of brokers, and a digest of
// each field of the spec (never a value).
api::StringMap made_with(const api::Examination& examination);

// An error for each field that has changed since the Job was created and cannot be applied to it.
// Empty if the Job has no record.
std::vector<api::FieldError> not_applied(const json& job, const api::Examination& examination);

// not_applied() of the observed Job; empty if there is no Job, if the spec is invalid, or if the
// Job is recreated.
std::vector<api::FieldError> never_applied(const Observed& observed,
                                           const api::Examination& examination);

// True if recreating the Job applies the change: it is suspended, has never started, and only
// fields of spec.pod have changed.
bool can_be_replaced(const json& job, const std::vector<api::FieldError>& not_applied);

}  // namespace mc::controller
