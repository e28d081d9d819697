#pragma once
#include <chrono>
#include <string>

namespace mc::kubectl {

// A time span in kubectl's manner: at most two units, and fewer the longer it is (`90s`, `5m3s`,
// `3h20m`, `2d`). `<unknown>` for a negative one, as of a clock that is behind.
std::string short_duration(std::chrono::seconds span);

// From `since` (RFC 3339) until `now`; `<unknown>` if there is no such time.
std::string age_since(const std::string& since, std::chrono::system_clock::time_point now);

}  // namespace mc::kubectl
