#pragma once
#include <string>
#include <string_view>

namespace mc {

// `PREFIX_0123456789abcdef`, with another suffix at each call in any process.
std::string unique_name(std::string_view prefix);

}  // namespace mc
