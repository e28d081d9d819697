#pragma once
#include "common/base/json.h"

// Reduces objects from a watch to the fields in use, before they are cached. Pure.
namespace mc::controller {

// A Job with our annotations, the fields of its spec in use, and its status. Of its template, what
// its pods request (quota/demand.h). Of each of kPolicies that it has, an empty object.
json reduce_job(const json& job);

// Fields of a Job's spec of which only the presence is kept (status/dropped_fields.h).
inline constexpr const char* kPolicies[] = {"podFailurePolicy", "successPolicy"};

}  // namespace mc::controller
