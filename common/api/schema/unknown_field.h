#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc::api {

// What is said of a name that is none of `known`: `unknown field, did you mean "limits"?`, or which
// there are, where these are few, or `unknown field`. `elsewhere` is the way to a field of just
// this name ("": there is none), which counts where no other name is near.
std::string unknown_field(std::string_view name, const std::vector<std::string>& known,
                          const std::string& elsewhere = "");

}  // namespace mc::api
