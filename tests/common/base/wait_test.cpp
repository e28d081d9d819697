#include "common/base/wait.h"

#include <gtest/gtest.h>

#include <thread>

namespace mc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLong{2};

TEST(Wait, LastsItsWholeDelay) {
  constexpr std::chrono::milliseconds kDelay{20};
  const std::stop_source nobody_stops;
  const auto start = Clock::now();
  wait(kDelay, nobody_stops.get_token());
  EXPECT_GE(Clock::now() - start, kDelay);
}

TEST(Wait, IsOverAtOnceWhereStopWasRequestedBefore) {
  std::stop_source source;
  source.request_stop();
  const auto start = Clock::now();
  wait(kLong, source.get_token());
  EXPECT_LT(Clock::now() - start, kLong / 2);
}

TEST(Wait, IsEndedByAStopOfAnotherThread) {
  const auto start = Clock::now();
  std::jthread waiting([](const std::stop_token& stop) { wait(kLong, stop); });
  waiting.request_stop();
  waiting.join();
  EXPECT_LT(Clock::now() - start, kLong / 2);
}

}  // namespace
}  // namespace mc
