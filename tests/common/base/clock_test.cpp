#include "common/base/clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace mc {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::minutes kTwoMinutes{2};

TEST(Wait, LastsItsWholeDelay) {
  constexpr std::chrono::milliseconds kDelay{20};
  const std::stop_source nobody_stops;
  const auto start = SteadyClock::now();
  wait(kDelay, nobody_stops.get_token());
  EXPECT_GE(SteadyClock::now() - start, kDelay);
}

TEST(Wait, IsOverAtOnceWhereStopWasRequestedBefore) {
  std::stop_source source;
  source.request_stop();
  const auto start = SteadyClock::now();
  wait(kTwoMinutes, source.get_token());
  EXPECT_LT(SteadyClock::now() - start, kTwoMinutes / 2);
}

TEST(Wait, IsEndedByAStopOfAnotherThread) {
  const auto start = SteadyClock::now();
  std::jthread waiting([](const std::stop_token& stop) { wait(kTwoMinutes, stop); });
  waiting.request_stop();
  waiting.join();
  EXPECT_LT(SteadyClock::now() - start, kTwoMinutes / 2);
}

}  // namespace
}  // namespace mc
