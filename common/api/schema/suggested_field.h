#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/schema/schema.h"

// Which field was probably meant by an unknown one.
namespace mc::api {

// The message for a name that is not in `known`: `unknown field, did you mean "limits"?`, or the
// known names if they are few, or `unknown field`. `elsewhere` is the path of a field of exactly
// this name in another place ("": none), suggested if no known name is close.
std::string unknown_field(std::string_view name, const std::vector<std::string>& known,
                          const std::string& elsewhere = "");

// The same for a field that `schema`, at `parent`, does not have. It may also be one further down,
// or of that name in another place of the spec.
std::string unknown_field(const SchemaNode& schema, const Place& parent, const std::string& name);

}  // namespace mc::api
