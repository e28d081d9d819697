#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc {

// Without what there is of `spaces` at both ends.
std::string_view trimmed(std::string_view text, std::string_view spaces = " \t\r\n");

// The parts in their order, `separator` between each two.
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

// With small letters for the capitals of ASCII.
std::string lower_case(std::string text);

}  // namespace mc
