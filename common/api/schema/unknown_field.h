#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc::api {

// The message for a name that is not in `known`: `unknown field, did you mean "limits"?`, or the
// known names if they are few, or `unknown field`. `elsewhere` is the path of a field of exactly
// this name in another place ("": none), suggested if no known name is close.
std::string unknown_field(std::string_view name, const std::vector<std::string>& known,
                          const std::string& elsewhere = "");

}  // namespace mc::api
