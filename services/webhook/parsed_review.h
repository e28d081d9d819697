#pragma once
#include <expected>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::webhook {

// The parts of an AdmissionReview that an answer can depend on. About half of what an API server
// sends is not among them: userInfo, most options, the kinds in other words, an object's
// managedFields and most of its status. The error says why the body cannot be read; JSON with too
// many values or levels is not loaded.
std::expected<json, std::string> parse_review(std::string_view body);

}  // namespace mc::webhook
