#include "tests/support/stopwatch.h"

#include <algorithm>
#include <condition_variable>
#include <stop_token>

#include "tests/support/cpu_time.h"

namespace mc::test {
namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds kBurst{5}, kPause{45};

}  // namespace

IdleStopwatch::IdleStopwatch()
    : thread_([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        while (!stop.stop_requested()) {
          probe();
          std::unique_lock lock(mutex);
          never.wait_for(lock, stop, kPause, [] { return false; });
        }
      }) {}

void IdleStopwatch::probe() {
  const auto wall = steady_clock::now();
  const double cpu = thread_cpu_seconds();
  Seconds used{0};
  while (used < kBurst) used = Seconds(thread_cpu_seconds() - cpu);
  const std::scoped_lock lock(mutex_);
  wall_ += steady_clock::now() - wall;
  cpu_ += used;
}

double IdleStopwatch::slowdown() const {
  const std::scoped_lock lock(mutex_);
  return cpu_.count() > 0 ? std::max(1.0, wall_ / cpu_) : 1;
}

std::chrono::milliseconds IdleStopwatch::elapsed() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(watch_.elapsed() / slowdown());
}

}  // namespace mc::test
