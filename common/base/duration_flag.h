#pragma once
#include <chrono>

namespace CLI {
class App;
}

namespace mc {

struct DurationRange {
  std::chrono::milliseconds shortest, longest;
};

// Adds a flag that takes a number with a unit (ms, s, m, h, d) within the range. The current
// `value` is shown as the default. `name` and `help` are copied.
void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                  const char* help, DurationRange range);

}  // namespace mc
