#include "services/controller/status/start_promise.h"

#include <gtest/gtest.h>

#include "services/controller/queueing/condition.h"

namespace mc::controller {
namespace {

Time at(std::int64_t seconds) { return Time(std::chrono::seconds(1'700'000'000 + seconds)); }

// Of the first in the queue, if it is promised this start.
api::Condition first(std::optional<Time> promised) {
  queueing::Reason reason;
  reason.promised = promised;
  return queueing::waiting(reason, 1, at(0), "");
}

MiniCluster promised(std::optional<Time> before) {
  MiniCluster out;
  out.generation = 3;
  out.status.observed_generation = 3;
  out.status.promised_start = before;
  return out;
}

TEST(StartPromise, TheFirstIsToldAsItIs) {
  EXPECT_EQ(with_promise(first(at(60)), promised({})), first(at(60)));
  EXPECT_EQ(with_promise(first({}), promised({})), first({}));
}

TEST(StartPromise, AnEarlierOneTakesItsPlace) {
  EXPECT_EQ(with_promise(first(at(60)), promised(at(60))), first(at(60)));
  EXPECT_EQ(with_promise(first(at(50)), promised(at(60))), first(at(50)));
}

TEST(StartPromise, OneThatIsNotHeldIsToldAndRemembered) {
  for (const auto now : {std::optional<Time>(), std::optional(at(61))}) {
    const api::Condition told = with_promise(first(now), promised(at(60)));
    EXPECT_EQ(told.reason, "StartDelayed");
    EXPECT_EQ(told.promised_start, at(60));
    EXPECT_NE(
        told.message.find(" The queue promised a start at 2023-11-14T22:14:20Z at the latest"),
        std::string::npos)
        << told.message;
  }
}

TEST(StartPromise, ANewSpecEndsIt) {
  MiniCluster cluster = promised(at(60));
  cluster.generation = 4;
  EXPECT_EQ(with_promise(first({}), cluster), first({}));
}

TEST(StartPromise, WhileNothingIsDecidedItIsKeptAndNotBroken) {
  const api::Condition told =
      with_promise(queueing::waiting_for_setup("Nothing is decided."), promised(at(60)));
  EXPECT_EQ(told.reason, "Waiting");
  EXPECT_EQ(told.message, "Nothing is decided.");
  EXPECT_EQ(told.promised_start, at(60));
}

}  // namespace
}  // namespace mc::controller
