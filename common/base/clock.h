#pragma once
#include <chrono>
#include <ctime>
#include <stop_token>

namespace mc {

// The interface to time, so that tests can pass a manual clock.
class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic; for waiting and measuring.
  virtual std::chrono::steady_clock::time_point now() const = 0;
  // Wall clock; for timestamps that others read.
  virtual std::chrono::system_clock::time_point wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  std::chrono::steady_clock::time_point now() const override {
    return std::chrono::steady_clock::now();
  }
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now();
  }
};

// `seconds` since the epoch, or the end of system_clock's range (1677 to 2262) that is nearest.
std::chrono::system_clock::time_point clamped_time(std::time_t seconds);

// Blocks the calling thread for `delay` of real time, or until `stop` is requested.
void wait(std::chrono::steady_clock::duration delay, const std::stop_token& stop);

}  // namespace mc
