#pragma once
#include "common/api/examine.h"
#include "common/base/json.h"
#include "services/controller/cache/observed.h"

// What a Job was made from, kept in its annotations, so that a spec that was changed behind the
// webhook's back is never half applied. Pure.
namespace mc::controller {

// The MiniCluster with the maxSize that its Job was made with, where the spec names none: the size
// at creation is the ceiling, whatever size is now. `job` may be null.
json with_ceiling(json cluster, const json* job);

// What there is to say about what is stored, in the words of admission; a size that was the ceiling
// at creation stays it. Once the Job was made an unknown field is a warning, whatever `fields`
// says: the API server has dropped it by then, and what an earlier operator accepted goes on.
api::Examination examine(const Observed& observed, api::FieldValidation fields);

// Annotations for a new Job of this MiniCluster: maxSize, the brokers' quorum, and a digest of each
// field of the spec (never a value).
api::StringMap made_with(const api::Examination& examination);

// An error for each field that has changed since the Job was made and cannot be applied to it.
// Empty for a Job that does not say what it was made from.
std::vector<api::FieldError> not_applied(const json& job, const api::Examination& examination);

// not_applied() of the Job that was observed; empty where there is none, or where it is made anew.
std::vector<api::FieldError> never_applied(const Observed& observed,
                                           const api::Examination& examination);

// True where what is not applied can be, by making the Job anew: it is suspended, has never
// started, and only fields of spec.pod have changed.
bool can_be_replaced(const json& job, const std::vector<api::FieldError>& not_applied);

}  // namespace mc::controller
