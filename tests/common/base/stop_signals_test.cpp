#include "common/base/stop_signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

namespace mc {
namespace {

using std::chrono::milliseconds;

// Sends signals to its own thread, which waits for them. Those of a failed test are taken at its
// end, before they can end the program.
class StopSignalsTest : public testing::Test {
 protected:
  StopSignalsTest() { pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
  ~StopSignalsTest() override {
    while (signals_->wait_for(milliseconds(0)) != nullptr) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  StopSignalsTest(const StopSignalsTest&) = delete;
  StopSignalsTest& operator=(const StopSignalsTest&) = delete;

  void SetUp() override { signals_.emplace(); }

  sigset_t before_{};
  std::optional<StopSignals> signals_;
};

TEST_F(StopSignalsTest, ReturnsTheNameOfTheSignalThatAsksToEnd) {
  for (const auto& [signal, name] : {std::pair(SIGTERM, "SIGTERM"), std::pair(SIGINT, "SIGINT")}) {
    raise(signal);
    EXPECT_STREQ(signals_->wait(), name);
    raise(signal);
    EXPECT_STREQ(signals_->wait_for(milliseconds(0)), name);
  }
}

TEST_F(StopSignalsTest, DumpsForEachSigusr2AndGoesOnWaiting) {
  int dumps = 0;
  raise(SIGUSR2);
  const char* end = signals_->wait([&dumps] {
    ++dumps;
    raise(dumps < 3 ? SIGUSR2 : SIGTERM);
  });
  EXPECT_STREQ(end, "SIGTERM");
  EXPECT_EQ(dumps, 3);
}

TEST_F(StopSignalsTest, Sigusr2EndsNeitherTheProcessNorTheWaiting) {
  raise(SIGUSR2);
  EXPECT_EQ(signals_->wait_for(milliseconds(1)), nullptr);
  raise(SIGUSR2);  // the lower number arrives first
  raise(SIGTERM);
  EXPECT_STREQ(signals_->wait(), "SIGTERM");
}

}  // namespace
}  // namespace mc
