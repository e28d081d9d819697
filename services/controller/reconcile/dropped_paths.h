#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"

// Fields that the API server dropped from a Job: those that it does not know or whose feature gate
// is off, without any error. status/dropped_fields.h says what that means. Pure.
namespace mc::controller {

// The fields of a Job's spec that were sent and are not in the API server's answer. Sorted.
std::vector<std::string> dropped_paths(const json& sent, const json& answer);

// The value of api::kDroppedAnnotation for a Job from which these were dropped; "" for none. At
// most the first 20.
std::string record_of(const std::vector<std::string>& paths);

}  // namespace mc::controller
