#include "services/controller/reconcile/status_pace.h"

#include <algorithm>

namespace mc::controller {
namespace {

constexpr std::chrono::milliseconds kForEachPod{1};
constexpr std::chrono::milliseconds kLeast{500}, kMost{5000};

ClusterStatus without_counts(ClusterStatus status) {
  for (auto* count : {&status.ready, &status.active, &status.succeeded, &status.failed}) {
    count->reset();
  }
  return status;
}

}  // namespace

std::chrono::milliseconds StatusPace::wait(const std::string& key, const ClusterStatus& before,
                                           const ClusterStatus& after, std::int64_t pods,
                                           Time now) const {
  const auto last = last_.with([&](const auto& times) {
    const auto known = times.find(key);
    return known == times.end() ? Time() : known->second;
  });
  const auto due = last + std::clamp<std::chrono::milliseconds>(kForEachPod * pods, kLeast, kMost);
  if (last == Time() || due <= now) return {};
  if (without_counts(before) != without_counts(after)) return {};
  return std::chrono::ceil<std::chrono::milliseconds>(due - now);
}

void StatusPace::written(const std::string& key, Time now) {
  last_.with([&](auto& times) { times[key] = now; });
}

void StatusPace::forget(const std::string& key) {
  last_.with([&](auto& times) { times.erase(key); });
}

}  // namespace mc::controller
