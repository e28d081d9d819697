#include "common/base/arguments.h"

#include <algorithm>

namespace mc {

std::vector<std::string> reversed_arguments(int argc, const char* const* argv) {
  std::vector<std::string> out;
  for (int i = 1; i < argc; ++i) {
    std::string& argument = out.emplace_back(argv[i]);
    if (!argument.starts_with("--") || argument.find('=') + 1 != argument.size()) continue;
    argument.pop_back();
    out.emplace_back();
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace mc
