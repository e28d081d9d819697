#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::api {

// A string literal of CEL, which has JSON's escapes.
inline std::string cel(std::string_view text) { return dump(json(text)); }

// CEL for the text of an error (field.h) at the path that the expression `at` gives. `kind` is
// "Invalid value", for example; `value` is an expression for a string that is told in quotes.
inline std::string told(std::string_view at, std::string_view kind, std::string_view value,
                        std::string_view words) {
  return std::string(at) + " + " + cel(": " + std::string(kind) + ": ") + " + strings.quote(" +
         std::string(value) + ") + " + cel(": " + std::string(words));
}

// The same without a value.
inline std::string told(std::string_view at, std::string_view kind, std::string_view words) {
  return std::string(at) + " + " + cel(": " + std::string(kind) + ": " + std::string(words));
}

// CEL: the fields of spec that the two objects of an update both have and may not change. Of
// fields that have a default only those that both objects set are compared, and neither lists nor
// maps are, except containers and services by index.
std::string immutable_errors();

}  // namespace mc::api
