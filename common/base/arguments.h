#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mc {

// Why the program ends before it starts work: --help, --version, or a usage error.
struct Exit {
  int code;  // 0, or kUsageError
  std::string text;
};
inline constexpr int kUsageError = 2;

// The usage error of that program or verb: `error: WHY; see PROGRAM VERB --help`.
Exit usage_error(const std::string& program, const std::string& why);

// Parses the command line into the options of `app`. Returns an Exit if the program must end; a
// usage error is usage_error().
[[nodiscard]] std::optional<Exit> parse(CLI::App& app, int argc, const char* const* argv);

// The arguments after the program's name, for App::parse of CLI11, which takes the last one first.
// A value after `=` is split off, as klog and kubectl read it:
// - `--flag=` becomes `--flag` and an empty value. CLI11 2.1 takes the next argument as the value,
//   so a template with an empty value would lose a flag.
// - `-v=2` becomes `-v` and `2`. CLI11 takes `=2` as the value.
std::vector<std::string> reversed_arguments(int argc, const char* const* argv);

// Prints the text, on standard output if the code is 0, else on standard error. Returns the code.
int print(const Exit& exit);

// Adds -f, --filename, which is required: files, or "-" for standard input.
void add_files(CLI::App& app, std::vector<std::string>& files);

// Adds -v, --v: 0 to 100. The current `level` is shown as the default.
void add_verbosity(CLI::App& app, int& level, const char* help);

struct DurationRange {
  std::chrono::milliseconds shortest, longest;
};

// Adds a flag that takes a number with a unit (ms, s, m, h, d) within the range. The current
// `value` is shown as the default. `name` and `help` are copied.
void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                  const char* help, DurationRange range);

}  // namespace mc
