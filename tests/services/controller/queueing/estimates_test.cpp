#include "services/controller/queueing/estimates.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing::test {
namespace {

constexpr std::optional<Time> kNever;

TEST(Estimates, AreDueAtOnceAndThenAtMostEveryTenSecondsAfterAChange) {
  Estimates estimates;
  EXPECT_TRUE(estimates.is_due(at(0), kNever));
  EXPECT_EQ(estimates.next(kNever), kNever);
  estimates.set({}, at(0));
  EXPECT_EQ(estimates.next(kNever), kNever);
  EXPECT_FALSE(estimates.is_due(at(100'000), kNever));
  estimates.invalidate();
  EXPECT_EQ(estimates.next(kNever), at(10));
  EXPECT_FALSE(estimates.is_due(at(9), kNever));
  EXPECT_TRUE(estimates.is_due(at(10), kNever));
}

TEST(Estimates, AreDueOnceOneHasPassedOrAPromiseWasNotKept) {
  Estimates estimates;
  estimates.set({{"lab/a", at(900)}, {"lab/b", at(300)}}, at(0));
  EXPECT_EQ(estimates.next(kNever), at(300));
  EXPECT_EQ(estimates.next(at(200)), at(200));
  EXPECT_EQ(estimates.next(at(400)), at(300));
  EXPECT_EQ(estimates.next(at(5)), at(10)) << "not sooner than every 10 s";
  estimates.set({}, at(500));
  EXPECT_EQ(estimates.next(at(400)), kNever) << "it was told already that this one was not kept";
}

TEST(Estimates, ThatWereToldStayWhileTheNewOneIsWithinAStep) {
  const auto told = [](std::int64_t before, std::int64_t estimate, std::int64_t now) {
    Estimates estimates;
    estimates.set({{"lab/a", at(before)}}, at(0));
    estimates.set({{"lab/a", at(estimate)}}, at(now));
    return (*estimates.find("lab/a") - at(0)).count();
  };
  EXPECT_EQ(told(600, 660, 10), 600) << "the step within 20 minutes is a minute";
  EXPECT_EQ(told(600, 540, 10), 600);
  EXPECT_EQ(told(600, 661, 10), 661);
  EXPECT_EQ(told(3600, 3900, 10), 3600) << "within 2 hours it is 5 minutes";
  EXPECT_EQ(told(3600, 3901, 10), 3901);
  EXPECT_EQ(told(600, 660, 600), 660) << "its time has passed";
}

TEST(Estimates, AreOnlyOfThoseThatTheLastForecastNames) {
  Estimates estimates;
  estimates.set({{"lab/a", at(600)}, {"lab/b", at(700)}}, at(0));
  estimates.remove("lab/a");
  EXPECT_EQ(estimates.find("lab/a"), kNever);
  EXPECT_EQ(estimates.find("lab/b"), at(700));
  estimates.set({{"lab/a", at(800)}}, at(20));
  EXPECT_EQ(estimates.find("lab/a"), at(800));
  EXPECT_EQ(estimates.find("lab/b"), kNever);
}

}  // namespace
}  // namespace mc::controller::queueing::test
