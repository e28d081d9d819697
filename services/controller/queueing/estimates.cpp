#include "services/controller/queueing/estimates.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace mc::controller::queueing {
namespace {

// With kMostEstimates this allows 10 writes of a status in each second, at most.
constexpr std::chrono::seconds kForecastEvery{10};

Time told(std::optional<Time> before, Time estimate, Time now) {
  if (!before || *before <= now) return estimate;
  const auto difference = std::chrono::abs(estimate - *before);
  return difference <= step_of(*before - now) ? *before : estimate;
}

}  // namespace

void Estimates::set(const std::vector<Estimate>& made, Time now) {
  const auto before = std::exchange(starts_, {});
  for (const Estimate& one : made) {
    const auto known = before.find(one.key);
    const bool is_known = known != before.end();
    starts_[one.key] = told(is_known ? std::optional(known->second) : std::nullopt, one.start, now);
  }
  made_ = now;
  is_old_ = false;
}

std::optional<Time> Estimates::find(const std::string& key) const {
  const auto found = starts_.find(key);
  return found == starts_.end() ? std::nullopt : std::optional(found->second);
}

bool Estimates::is_due(Time now, std::optional<Time> promised) const {
  return !made_ || next(promised).value_or(Time::max()) <= now;
}

std::optional<Time> Estimates::next(std::optional<Time> promised) const {
  if (!made_) return std::nullopt;
  const Time earliest = *made_ + kForecastEvery;
  if (is_old_) return earliest;
  std::optional<Time> out;
  for (const auto& [key, start] : starts_) {
    if (!out || start < *out) out = start;
  }
  if (promised && *promised > *made_ && (!out || *promised < *out)) out = promised;
  return out ? std::optional(std::max(*out, earliest)) : std::nullopt;
}

}  // namespace mc::controller::queueing
