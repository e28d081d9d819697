#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"

// What an unquoted word means in YAML: the one place of these rules. They are those of
// sigs.k8s.io/yaml, which kubectl reads with, so that a file means the same here and there.
namespace mc::yaml {

// The value of an unquoted scalar without a tag: null, a boolean, a number or the text itself.
// Infinities and not-a-number come back as such. Integers beyond 64 bits become doubles; numbers
// that no double can hold, and timestamps, stay text.
json plain_value(std::string_view text);

// The value of a scalar with a tag in its long form (`tag:yaml.org,2002:int`); an error where the
// text is not of that type or the tag is not one of str, null, bool, int, float. Never shows text.
Result<json> tagged_value(std::string_view tag, std::string_view text);

// The value as JSON has it: 3.0 is 3, as Kubernetes reads it; infinity and not-a-number are errors.
Result<json> json_value(json value);

// A mapping's key as JSON has it: `yes:` is "true", `0x1f:` is "31"; null is an error.
Result<std::string> key_text(const json& scalar);

}  // namespace mc::yaml
