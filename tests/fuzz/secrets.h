#pragma once
#include <string>

#include "common/base/json.h"

// What of a MiniCluster may be secret, marked so that it can be looked for in every output.
namespace mc::fuzz {

inline constexpr const char* kCurveMark = "cUrVe5eCrEt";  // in spec.flux.curveCert
inline constexpr const char* kEnvironmentMark =
    "eNv5eCrEt";  // in values of containers' environments
// In what the ConfigMap has: scripts, configurations, values of flux.environment.
inline constexpr const char* kTextMark = "tExT5eCrEt";

// The secret key of every good certificate that is planted.
const std::string& planted_key();

// The object with the marks in all that is a text and may be secret. A text at
// spec.flux.curveCert that begins with "# The CURVE" becomes a good certificate.
json with_marks(json object);

// Whether a mark, or the planted key, stands in what a person or another program reads.
bool shows_secret(const std::string& text);

}  // namespace mc::fuzz
