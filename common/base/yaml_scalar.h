#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"

// The meaning of YAML scalars, by the rules of sigs.k8s.io/yaml, which kubectl uses, so that a file
// means the same to both.
namespace mc::yaml {

// The value of an unquoted scalar without a tag: null, a boolean, a number or the text itself.
// Infinity and NaN are returned as numbers. Integers beyond 64 bits become doubles; numbers beyond
// a double, and timestamps, stay text.
json plain_value(std::string_view text);

// The value of a scalar with a tag in its long form (`tag:yaml.org,2002:int`). Fails if the text is
// not of that type or the tag is not one of str, null, bool, int, float. Errors never quote the
// text.
Result<json> tagged_value(std::string_view tag, std::string_view text);

// The value in JSON: 3.0 becomes 3, as in Kubernetes; infinity and NaN are errors.
Result<json> json_value(json value);

// A mapping key in JSON: `yes:` is "true", `0x1f:` is "31"; null is an error.
Result<std::string> key_text(const json& scalar);

}  // namespace mc::yaml
