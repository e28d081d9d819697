#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"

// A node of the CRD's OpenAPI schema, in words.
namespace mc::docs {

// A type of Kubernetes' own.
bool is_embedded(const json& schema);

// `string`, `list of integers`, `map of strings`, `object (Kubernetes)` ... An object with
// properties of its own is an `object`, lists and maps of such a `list` or `map`.
std::string type_words(const json& schema);

// `default X` in code, or "" where there is none or only an empty object.
std::string default_words(const json& schema);

// What a value must be, one rule each: bounds, enum, pattern, lengths; `each ...` for those of a
// list's entries that are no objects. Without x-kubernetes-validations.
std::vector<std::string> bound_words(const json& schema);

// The message of an entry of x-kubernetes-validations; of a messageExpression its literals, with N
// for a number and ... for another value.
std::string message_words(const json& validation);

}  // namespace mc::docs
