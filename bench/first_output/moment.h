#pragma once
#include <string_view>

namespace mc::bench {

// Seconds since 1970. Every part of the cluster runs on this machine and has this clock.
using Moment = double;

Moment now();

// The time in UTC at the beginning of `text`, to the nanosecond: `2026-01-31T08:00:00.25Z`, or with
// a space or +00:00, as containerd prints it. Throws std::runtime_error for anything else.
Moment parse_moment(std::string_view text);

}  // namespace mc::bench
