#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"

// A node of the CRD's OpenAPI schema, in words.
namespace mc::docs {

// Whether it is a type of Kubernetes.
bool is_embedded(const json& schema);

// `string`, `list of integers`, `map of strings`, `object (Kubernetes)` ... An object with
// properties is an `object`; lists and maps of such objects are a `list` or `map`.
std::string type_words(const json& schema);

// `default X` in code style; "" if there is no default or only an empty object.
std::string default_words(const json& schema);

// The constraints on a value, one entry each: bounds, enum, pattern, lengths. `each ...` for the
// entries of a list of scalars. Without x-kubernetes-validations.
std::vector<std::string> bound_words(const json& schema);

// The message of an entry of x-kubernetes-validations. For a messageExpression: its literals, with
// N for a number and ... for any other value.
std::string message_words(const json& validation);

}  // namespace mc::docs
