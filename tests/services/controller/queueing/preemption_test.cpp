#include "services/controller/queueing/preemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kLimit = 10;

Waiting asks(const std::string& key, std::int64_t cpu, std::int32_t priority = 1) {
  Waiting out = waiting(key, cpus(cpu), {}, 100);
  out.priority = priority;
  return out;
}

Holder holds(const std::string& key, std::int64_t cpu, std::int64_t started = 0,
             std::int32_t priority = 0) {
  return {key, key.substr(0, key.find('/')), priority, at(started), cpus(cpu)};
}

Holder leaves(Holder one) {
  one.is_leaving = one.was_preempted = true;
  return one;
}

struct Case {
  std::vector<Waiting> waiting;
  std::vector<Holder> holders;
  std::int64_t others = 0;  // CPUs of MiniClusters that did not agree
  Strategy strategy = Strategy::BestEffortFIFO;
  std::int64_t limit_of_a = 0;                            // CPUs of namespace a; 0: not limited
  std::map<std::string, std::int64_t> also_running = {};  // CPUs, by key
};

Preemption preempted(const Case& given) {
  Limits limits{given.strategy, cpus(kLimit), {}};
  if (given.limit_of_a > 0) limits.namespaces["a"] = {cpus(given.limit_of_a)};
  Usage usage;
  usage.set({"z/others", "z", cpus(given.others), std::nullopt});
  for (const auto& [key, cpu] : given.also_running) {
    usage.set({key, key.substr(0, key.find('/')), cpus(cpu), std::nullopt});
  }
  for (const Holder& one : given.holders) usage.set({one.key, one.ns, one.amounts, std::nullopt});
  const Pending pending(given.waiting.begin(), given.waiting.end());
  Schedule made = schedule(at(1000), limits, usage, pending);
  return preempt(made, pending, given.holders);
}

std::set<std::string> victims(const Case& given) { return preempted(given).victims; }

// `a/two` may not pass `a/one`, which waits for the limit of their namespace.
TEST(Preemption, SuspendsNobodyForOneThatIsHeldBackByAnother) {
  for (const Strategy strategy : {Strategy::StrictFIFO, Strategy::EASYBackfill}) {
    Case given{{asks("a/one", 8), asks("a/two", 4)}, {holds("b/low", 4)}, 0, strategy, 10};
    given.also_running = {{"a/running", 6}};
    EXPECT_THAT(victims(given), IsEmpty());
  }
}

TEST(Preemption, SuspendsNobodyWhoseRoomDoesNotHelp) {
  EXPECT_THAT(victims({{asks("a/one", 4)}, {holds("b/low", 3)}, 7}), IsEmpty());
  EXPECT_THAT(victims({{asks("a/one", 4)}, {holds("b/low", 3)}, 6}), ElementsAre("b/low"));
}

TEST(Preemption, SuspendsNobodyForOneThatFitsOrNeverFits) {
  EXPECT_THAT(victims({{asks("a/one", 4)}, {holds("b/low", 6)}}), IsEmpty());
  EXPECT_THAT(victims({{asks("a/one", 11)}, {holds("b/low", 10)}}), IsEmpty());
}

TEST(Preemption, IsMadeForOneBehindManyThatNeverFit) {
  Case given{{asks("a/one", 4)}, {holds("b/low", 10)}};
  for (int i = 0; i < 200; ++i) given.waiting.push_back(asks("a/huge-" + std::to_string(i), 11, 2));
  EXPECT_THAT(victims(given), ElementsAre("b/low"));
}

TEST(Preemption, IsOnlyForAHigherPriority) {
  EXPECT_THAT(victims({{asks("a/one", 4, 1)}, {holds("b/same", 10, 0, 1)}}), IsEmpty());
  EXPECT_THAT(victims({{asks("a/one", 4, 0)}, {holds("b/higher", 10, 0, 1)}}), IsEmpty());
}

TEST(Preemption, TakesTheLowestPriorityFirstThenWhoStartedLast) {
  const std::vector<Holder> holders = {holds("b/low", 2, 0, -1), holds("b/early", 4, 10),
                                       holds("b/late", 4, 20)};
  EXPECT_THAT(victims({{asks("a/one", 2)}, holders}), ElementsAre("b/low"));
  EXPECT_THAT(victims({{asks("a/one", 6)}, holders}), ElementsAre("b/late", "b/low"));
  EXPECT_THAT(victims({{asks("a/one", 10)}, holders}), ElementsAre("b/early", "b/late", "b/low"));
}

TEST(Preemption, SparesThoseThatWereChosenBeforeOneThatSuffices) {
  const std::vector<Holder> holders = {holds("b/low", 2, 0, -1), holds("b/large", 8, 10)};
  EXPECT_THAT(victims({{asks("a/one", 8)}, holders}), ElementsAre("b/large"));
}

TEST(Preemption, StaysTheSameWhileTheVictimsGo) {
  std::vector<Holder> holders = {holds("b/1", 2, 1), holds("b/2", 3, 2), holds("b/3", 5, 3)};
  const Case before{{asks("a/one", 8)}, holders};
  ASSERT_THAT(victims(before), ElementsAre("b/2", "b/3"));
  holders[2] = leaves(holders[2]);
  const Preemption half = preempted({{asks("a/one", 8)}, holders});
  EXPECT_THAT(half.victims, ElementsAre("b/2"));
  holders[1] = leaves(holders[1]);
  const Preemption all = preempted({{asks("a/one", 8)}, holders});
  EXPECT_THAT(all.victims, IsEmpty());
  EXPECT_THAT(all.room_for, ElementsAre("a/one"));
}

TEST(Preemption, WhatOthersLeaveIsKeptForNobody) {
  Holder deleted = holds("b/1", 5, 1);
  deleted.is_leaving = true;
  const Preemption made = preempted({{asks("a/one", 8)}, {deleted}, 2});
  EXPECT_THAT(made.victims, IsEmpty());
  EXPECT_THAT(made.room_for, IsEmpty());
}

TEST(Preemption, WithinTheLimitOfANamespaceTakesThoseOfTheNamespaceOnly) {
  const std::vector<Holder> holders = {holds("b/late", 4, 20), holds("a/early", 4, 10)};
  EXPECT_THAT(victims({{asks("a/one", 2)}, holders, 0, Strategy::BestEffortFIFO, 4}),
              ElementsAre("a/early"));
}

TEST(Preemption, IsForTheHeadOnlyIfThereIsOne) {
  const std::vector<Waiting> waiting = {asks("a/first", 8, 2), asks("a/second", 4, 1)};
  const std::vector<Holder> holders = {holds("b/low", 5)};
  for (const Strategy strategy : {Strategy::StrictFIFO, Strategy::EASYBackfill}) {
    EXPECT_THAT(victims({waiting, holders, 5, strategy}), IsEmpty());
    EXPECT_THAT(victims({{waiting[1]}, holders, 5, strategy}), ElementsAre("b/low"));
  }
  EXPECT_THAT(victims({waiting, holders, 5}), ElementsAre("b/low"));
}

TEST(Preemption, MakesRoomForSeveral) {
  const std::vector<Waiting> waiting = {asks("a/1", 3), asks("a/2", 3), asks("a/3", 3)};
  const Preemption made = preempted({waiting, {holds("b/1", 3, 1), holds("b/2", 3, 2)}, 4});
  EXPECT_THAT(made.victims, ElementsAre("b/1", "b/2"));
  EXPECT_THAT(made.room_for, ElementsAre("a/1", "a/2"));
}

TEST(Schedule, NobodyBehindTakesTheRoomThatIsMadeForOne) {
  Usage usage;
  usage.set({"b/low", "b", cpus(6), std::nullopt});
  const Limits limits{Strategy::BestEffortFIFO, cpus(kLimit), {}};
  const Pending pending = {asks("a/one", 8), asks("a/small", 2, 0)};
  Schedule open = schedule(at(0), limits, usage, pending);
  ASSERT_EQ(open.admitted().size(), 1U);
  const std::set<std::string> room_for = {"a/one"};
  Schedule made = schedule(at(0), limits, usage, pending, nullptr, &room_for);
  EXPECT_THAT(made.admitted(), IsEmpty());
  const Waiting& first = *pending.begin();
  EXPECT_EQ(made.reason(first).shortage->missing, api::Quantity(4));
}

}  // namespace
}  // namespace mc::controller::queueing::test
