#pragma once
#include <chrono>
#include <optional>
#include <string>

namespace mc {

// UTC to the second, as Kubernetes' metav1.Time: 2026-01-31T08:00:00Z.
std::string rfc3339(std::chrono::system_clock::time_point time);

// The time of a text as RFC 3339 has it, such as metav1.MicroTime or the time that begins a line of
// a container's log, as clamped_time; what is less than a second is dropped. nullopt for any other
// text and for a date that does not exist.
std::optional<std::chrono::system_clock::time_point> parse_rfc3339(const std::string& text);

}  // namespace mc
