#include "common/base/backoff.h"

#include <algorithm>
#include <random>

namespace mc {

std::chrono::milliseconds backoff_delay(const BackoffPolicy& policy, int failures) {
  if (failures <= 0) return std::chrono::milliseconds{0};
  auto delay = policy.first;
  for (int i = 1; i < failures && delay < policy.cap; ++i) delay *= 2;
  return std::min(delay, policy.cap);
}

double random_jitter() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(random);
}

std::chrono::milliseconds Backoff::next(TimePoint now, double jitter) {
  if (last_failure_ && now - *last_failure_ >= reset_after_) failures_ = 0;
  last_failure_ = now;
  ++failures_;
  const auto delay = backoff_delay(policy_, failures_);
  return std::chrono::duration_cast<std::chrono::milliseconds>(delay * (1.0 + jitter));
}

}  // namespace mc
