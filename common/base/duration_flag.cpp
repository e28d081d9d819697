#include "common/base/duration_flag.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <map>

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

}  // namespace

void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                  const char* help, DurationRange range) {
  static const std::map<std::string, std::int64_t> kMilliseconds = {
      {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  app.add_option_function<std::int64_t>(
         name, [&value](std::int64_t count) { value = std::chrono::milliseconds(count); }, help)
      ->transform(CLI::AsNumberWithUnit(kMilliseconds, CLI::AsNumberWithUnit::UNIT_REQUIRED)
                      .description(""))
      ->check(CLI::Range(range.shortest.count(), range.longest.count()).description(""))
      ->default_str(written(value))
      ->type_name("DURATION");
}

}  // namespace mc
