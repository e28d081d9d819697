#pragma once
#include <expected>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::webhook {

// An AdmissionReview as json::parse reads it, without its objects' managedFields, on which no
// answer depends and which are often half of it. The error says why the body cannot be read; JSON
// with too many values or levels is not loaded.
std::expected<json, std::string> parse_review(std::string_view body);

}  // namespace mc::webhook
