#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc {

// The known name that was probably meant, ignoring case, or "". It differs in one or two letters,
// and a long name in up to a third of its letters. A name of more than 64 bytes is similar to none:
// the comparison takes time proportional to its length.
std::string most_similar(std::string_view written, const std::vector<std::string>& known);

}  // namespace mc
