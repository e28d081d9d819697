#pragma once
#include <string>
#include <string_view>

namespace mc {

// FNV-1a, 64 bits, as 16 hex digits: the same in every version and on every machine, unlike
// std::hash. Not cryptographic.
std::string fnv1a_hex(std::string_view text);

}  // namespace mc
