#include "common/base/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string_view>

#include "common/base/text.h"

namespace mc {
namespace {

// As in a flag: 15s, 90d.
std::string written(std::chrono::milliseconds value) {
  using Unit = std::pair<std::int64_t, const char*>;
  constexpr std::array<Unit, 4> kUnits = {
      Unit{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}};
  for (const auto& [length, unit] : kUnits) {
    if (value.count() != 0 && value.count() % length == 0) {
      return std::to_string(value.count() / length) + unit;
    }
  }
  return std::to_string(value.count()) + (value.count() == 0 ? "s" : "ms");
}

// The verb that the arguments name, or that verb's verb.
const CLI::App* verb_of(const CLI::App* app) {
  const auto verbs = app->get_subcommands();
  return verbs.empty() ? app : verb_of(verbs.front());
}

// `NAME: VALUE is not ...` of what the library says about a value that is none of those allowed.
std::string not_allowed(const std::string& said) {
  const std::size_t name = said.find(": ");
  if (name == std::string::npos) return said;
  const std::string flag = said.substr(0, name + 2), rest = said.substr(name + 2);
  if (rest == "Missing mandatory unit") return flag + "a unit is required, such as 30s or 5m";
  constexpr std::string_view kValue = "Value ", kRange = " not in range ", kSet = " not in {";
  if (const auto at = rest.rfind(kRange); at != std::string::npos && rest.starts_with(kValue)) {
    return flag + "\"" + rest.substr(kValue.size(), at - kValue.size()) +
           "\" is not a number from " + rest.substr(at + kRange.size());
  }
  if (const auto at = rest.rfind(kSet); at != std::string::npos && rest.ends_with('}')) {
    std::string all = rest.substr(at + kSet.size(), rest.size() - at - kSet.size() - 1);
    for (std::size_t i = 0; (i = all.find(',', i)) != std::string::npos; i += 2) {
      all.replace(i, 1, ", ");
    }
    return flag + "\"" + rest.substr(0, at) + "\" is not one of " + all;
  }
  return said;
}

// What CLI11 says, in the words of our other errors.
std::string reworded(const CLI::ParseError& error) {
  std::string said = error.what();
  constexpr std::string_view kExcludes = " excludes ",
                             kConvert = "Could not convert: ", kRequired = ": 1 required ",
                             kMissing = " missing";
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::ExcludesError:
      if (const auto at = said.find(kExcludes); at != std::string::npos) {
        return said.substr(0, at) + " cannot be used with " + said.substr(at + kExcludes.size());
      }
      return said;
    case CLI::ExitCodes::ConversionError:
      if (const auto at = said.find(" = "); at != std::string::npos && said.starts_with(kConvert)) {
        return said.substr(kConvert.size(), at - kConvert.size()) + ": \"" + said.substr(at + 3) +
               "\" is not a valid value";
      }
      return said;
    case CLI::ExitCodes::ArgumentMismatch:
      if (const auto at = said.find(kRequired);
          at != std::string::npos && said.ends_with(kMissing)) {
        const std::size_t type = at + kRequired.size();
        return said.substr(0, at) +
               ": a value is required: " + said.substr(type, said.size() - type - kMissing.size());
      }
      return said;
    case CLI::ExitCodes::ValidationError:
      return not_allowed(said);
    default:
      return said;
  }
}

// CLI11's own words have unknown arguments in reverse, and miss the verb without naming them.
std::string words_of(const CLI::App& app, const CLI::ParseError& error) {
  const auto is = [&](CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
  };
  const bool lacks_verb = is(CLI::ExitCodes::RequiredError) && app.get_subcommands().empty() &&
                          app.get_require_subcommand_min() > 0;
  if (!is(CLI::ExitCodes::ExtrasError) && !lacks_verb) return one_line(reworded(error));
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return "a verb is required";
  const std::string& first = unknown.front();
  return (first.starts_with('-') ? "unknown flag: " : "unexpected argument: ") +
         (first.empty() ? "\"\"" : one_line(first));
}

// `kubectl minicluster run`
std::string program_of(const CLI::App& app) {
  const CLI::App* const verb = verb_of(&app);
  return verb == &app ? app.get_name() : app.get_name() + " " + verb->get_name();
}

}  // namespace

Exit usage_error(const std::string& program, const std::string& why) {
  return {kUsageError, "error: " + why + "; see " + program + " --help\n"};
}

std::optional<Exit> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return usage_error(program_of(app), words_of(app, error));
    std::ostringstream out, err;
    app.exit(error, out, err);
    return Exit{0, out.str() + err.str()};
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

int print(const Exit& exit) {
  (exit.code == 0 ? std::cout : std::cerr) << exit.text;
  return exit.code;
}

void add_files(CLI::App& app, std::vector<std::string>& files) {
  app.add_option("-f,--filename", files, "File of YAML or JSON documents; - is standard input")
      ->required()
      ->type_name("FILE");
}

void add_verbosity(CLI::App& app, int& level, const char* help) {
  app.add_option("-v,--v", level, help)
      ->capture_default_str()
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("LEVEL");
}

void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                  const char* help, DurationRange range) {
  static const std::map<std::string, std::int64_t> kMilliseconds = {
      {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  app.add_option_function<std::int64_t>(
         name, [&value](std::int64_t count) { value = std::chrono::milliseconds(count); }, help)
      ->transform(CLI::AsNumberWithUnit(kMilliseconds, CLI::AsNumberWithUnit::UNIT_REQUIRED)
                      .description(""))
      ->check([range](const std::string& text) -> std::string {
        std::int64_t count = 0;
        std::from_chars(text.data(), text.data() + text.size(), count);
        const bool fits = count >= range.shortest.count() && count <= range.longest.count();
        return fits ? "" : "must be " + written(range.shortest) + " to " + written(range.longest);
      })
      ->default_str(written(value))
      ->type_name("DURATION");
}

}  // namespace mc
