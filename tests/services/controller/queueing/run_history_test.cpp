#include "services/controller/queueing/run_history.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing::test {
namespace {

using std::chrono::seconds;

// A run that took so many of 1000 seconds.
struct Past {
  int took;
  std::optional<int> limit = 1000;
};

RunHistory history_of(const std::vector<Past>& runs) {
  RunHistory out;
  for (int i = 0; const Past& run : runs) {
    const std::string job = std::to_string(i);
    out.add("lab", {at(++i), job, seconds(run.took),
                    run.limit ? std::optional(seconds(*run.limit)) : std::nullopt});
  }
  return out;
}

std::optional<int> lasts(const RunHistory& history, std::optional<int> limit, int ran = 0) {
  const auto out =
      history.expected("lab", limit ? std::optional(seconds(*limit)) : std::nullopt, seconds(ran));
  return out ? std::optional(static_cast<int>(out->count())) : std::nullopt;
}

TEST(RunHistory, FewerThanThreeRunsSayNothing) {
  EXPECT_EQ(lasts(history_of({}), 100), 100);
  EXPECT_EQ(lasts(history_of({{10}, {10}}), 100), 100);
  EXPECT_EQ(lasts(history_of({{10}, {10}}), std::nullopt), std::nullopt);
  EXPECT_EQ(history_of({{10}, {10}, {10}}).expected("other", seconds(100), seconds(0)),
            seconds(100));
}

TEST(RunHistory, WithALimitARunUsesTheShareThatTheMedianUsed) {
  const RunHistory history = history_of({{100}, {200}, {900}});
  EXPECT_EQ(lasts(history, 1000), 200);
  EXPECT_EQ(lasts(history, 50), 10);
}

TEST(RunHistory, WithoutALimitItTakesTheTimeOfTheMedian) {
  EXPECT_EQ(lasts(history_of({{100, {}}, {200, {}}, {900}}), std::nullopt), 200);
}

// Those without a limit cannot be compared.
TEST(RunHistory, RunsWithoutALimitSayNothingAboutOneWithALimit) {
  EXPECT_EQ(lasts(history_of({{100, {}}, {100, {}}, {100, {}}, {500}}), 1000), 1000);
}

TEST(RunHistory, OneThatRunsIsComparedWithThoseThatLastedLonger) {
  const RunHistory history = history_of({{100}, {200}, {800}, {900}, {950}});
  EXPECT_EQ(lasts(history, 1000, 99), 800);
  EXPECT_EQ(lasts(history, 1000, 200), 900);
  EXPECT_EQ(lasts(history, 1000, 950), 1000) << "none lasted longer";
  EXPECT_EQ(lasts(history_of({{100, {}}, {100, {}}, {100, {}}}), std::nullopt, 100), std::nullopt);
}

TEST(RunHistory, NoRunLastsLongerThanItsLimit) {
  EXPECT_EQ(lasts(history_of({{5000}, {5000}, {5000}}), 1000), 1000);
  EXPECT_EQ(lasts(history_of({{5, 0}, {5, 0}, {5, 0}}), 1000), 1000) << "of runs without any time";
}

TEST(RunHistory, OnlyTheLastTwentyCountAndEachJobOnce) {
  std::vector<Past> runs(10, Past{900});
  runs.insert(runs.end(), 20, Past{100});
  EXPECT_EQ(lasts(history_of(runs), 1000), 100);
  RunHistory history;
  for (int i = 0; i < 3; ++i) history.add("lab", {at(i), "job", seconds(100), seconds(1000)});
  EXPECT_EQ(lasts(history, 1000), 1000);
}

}  // namespace
}  // namespace mc::controller::queueing::test
