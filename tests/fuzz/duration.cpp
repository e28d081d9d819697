#include <CLI/CLI.hpp>
#include <chrono>

#include "common/api/validation/text_rules.h"
#include "common/base/arguments.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

using std::chrono::milliseconds;

void flag(const std::string& text) {
  constexpr milliseconds kShortest{100}, kLongest = std::chrono::days(36500);
  CLI::App app;
  milliseconds value{1000};
  add_duration(app, "--wait", value, "how long", {kShortest, kLongest});
  try {
    app.parse(std::vector<std::string>{"--wait=" + text});
  } catch (const CLI::ParseError&) {
    return;
  }
  require(value >= kShortest && value <= kLongest, "what a flag takes is within its range");
}

}  // namespace

void duration(std::string_view input) {
  if (!api::not_flux_duration(input)) {
    require(input.find_first_not_of("0123456789.msdhinfty") == input.npos, "known characters");
  }
  flag(std::string(input));
}

}  // namespace mc::fuzz
