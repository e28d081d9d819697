#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc {

// Without the characters of `spaces` at both ends.
std::string_view trimmed(std::string_view text, std::string_view spaces = " \t\r\n");

// The parts in order, with `separator` between them.
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

// With ASCII letters in lower case.
std::string lower_case(std::string text);

}  // namespace mc
