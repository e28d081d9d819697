#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mc::kubectl {

// A time limit as Slurm, Flux and Kubernetes write it, in seconds, rounded up:
// - a number, also with a fraction: minutes, as in Slurm and Flux
// - MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, DAYS-HOURS:MINUTES and
//   DAYS-HOURS:MINUTES:SECONDS, as in Slurm
// - numbers with a unit, s, m, h or d, the larger first: 30s, 1.5d, 1h30m
// Nothing for any other text, and for no time at all.
std::optional<std::int64_t> seconds_of_time_limit(std::string_view text);

// `TEXT: expected ...` for a text that is no such time; "" for one that is.
std::string why_no_time(const std::string& text);

}  // namespace mc::kubectl
