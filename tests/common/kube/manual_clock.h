#pragma once
#include <atomic>
#include <chrono>

#include "common/base/clock.h"

namespace mc::kube {

// A clock that only advance() moves. One thread may advance it; any thread may read it.
class ManualClock final : public Clock {
 public:
  std::chrono::steady_clock::time_point now() const override { return now_; }
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::time_point(now().time_since_epoch());
  }
  void advance(std::chrono::milliseconds time) { now_ = now() + time; }

 private:
  std::atomic<std::chrono::steady_clock::time_point> now_{
      std::chrono::steady_clock::time_point(std::chrono::hours{1})};
};

}  // namespace mc::kube
