#include "common/base/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace mc {

std::optional<Exit> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err);
    return Exit{code == 0 ? 0 : kUsageError, out.str() + err.str()};
  }
  return std::nullopt;
}

std::vector<std::string> reversed_arguments(int argc, const char* const* argv) {
  std::vector<std::string> out;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const bool is_short = argument.starts_with('-') && equals == 2 && argument[1] != '-';
    const bool is_empty = argument.starts_with("--") && equals + 1 == argument.size();
    out.push_back(is_short || is_empty ? argument.substr(0, equals) : argument);
    if (is_short || is_empty) out.push_back(argument.substr(equals + 1));
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace mc
