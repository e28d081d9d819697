#pragma once
#include <chrono>

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

}  // namespace mc
