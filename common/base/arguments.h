#pragma once
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mc {

// A command line that ends the program at once: --help and --version, or a mistake.
struct Exit {
  int code;  // 0, or kUsageError
  std::string text;
};
inline constexpr int kUsageError = 2;

// Reads the command line into what `app` has; what ends the program, if anything does.
[[nodiscard]] std::optional<Exit> parse(CLI::App& app, int argc, const char* const* argv);

// What follows the program's name, for a CLI11 App's parse: the last argument first, as that wants
// it, and with what comes after `=` as the value, as klog and kubectl have it:
// - `--flag=` as `--flag` and an empty value. CLI11 2.1 takes the next argument for its value, so a
//   template that has nothing to put there would lose a flag;
// - `-v=2` as `-v` and `2`. CLI11 takes `=2` for its value.
std::vector<std::string> reversed_arguments(int argc, const char* const* argv);

}  // namespace mc
