#pragma once
#include <chrono>
#include <optional>

namespace mc {

struct BackoffPolicy {
  std::chrono::milliseconds first;  // delay after the first failure; doubles with each further one
  std::chrono::milliseconds cap;
};

// The delay after `failures` failures in a row: first * 2^(failures - 1), at most cap; 0 for none.
std::chrono::milliseconds backoff_delay(const BackoffPolicy& policy, int failures);

// At random in [0, 1), so that clients that failed or started together do not stay together.
double random_jitter();

// Counts the failures in a row of one operation, such as a watch. Not thread safe.
class Backoff {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // A failure `reset_after` or more after the previous one counts as the first.
  Backoff(BackoffPolicy policy, std::chrono::seconds reset_after)
      : policy_(policy), reset_after_(reset_after) {}

  // Counts a failure at `now`. Returns the delay before the next try, stretched by `jitter`.
  std::chrono::milliseconds next(TimePoint now, double jitter);

  void reset() { failures_ = 0; }

 private:
  BackoffPolicy policy_;
  std::chrono::seconds reset_after_;
  int failures_ = 0;
  std::optional<TimePoint> last_failure_;
};

}  // namespace mc
