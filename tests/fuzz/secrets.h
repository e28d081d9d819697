#pragma once
#include <string>

#include "common/base/json.h"

// Marks the parts of a MiniCluster that may be secret, to search for them in every output.
namespace mc::fuzz {

inline constexpr const char* kCurveMark = "cUrVe5eCrEt";  // in spec.flux.curveCert
inline constexpr const char* kEnvironmentMark =
    "eNv5eCrEt";  // in values of containers' environments
// In the content of the ConfigMap: scripts, configurations, values of flux.environment.
inline constexpr const char* kTextMark = "tExT5eCrEt";

// The secret key in every valid certificate that with_marks() inserts.
const std::string& planted_key();

// The object with the marks in every string that may be secret. A string at spec.flux.curveCert
// that begins with "# The CURVE" becomes a valid certificate.
json with_marks(json object);

// Whether `text`, which a user or another program reads, contains a mark or the inserted key. An
// input that contains one shows nothing: libFuzzer copies what it sees compared into its inputs.
bool shows_secret(const std::string& text);

}  // namespace mc::fuzz
