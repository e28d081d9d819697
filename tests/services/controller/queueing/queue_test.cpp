#include "services/controller/queueing/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing {
namespace {

using queueing::test::at;
using queueing::test::cpus;
using queueing::test::limit;
using queueing::test::running_workload;
using queueing::test::waits;
using queueing::test::workload;

constexpr int kMany = 2000;

// The same after its start, if it has `cpu` pods and wants `more`.
Workload runs(std::int64_t cpu, std::int64_t more = 0) {
  Workload out = running_workload(cpu);
  if (more > 0) out.growth = {cpus(more), cpu + more};
  return out;
}

struct Limited : Queue {
  explicit Limited(std::int64_t cpu) { set_policy(limit(cpu), {}, ""); }
};

// Decides and writes. The keys that were added.
std::vector<std::string> admitted(Queue& queue, std::int64_t now = 0) {
  return queue.written(queue.decide(at(now)), at(now));
}

using Keys = std::vector<std::string>;

Policy with_fair_share(std::int64_t cpu, queueing::Strategy strategy) {
  Policy out = limit(cpu, strategy);
  out.fair_share.emplace(std::chrono::hours(1));
  return out;
}

// The keys of those that wait, in order.
std::vector<std::string> order_of(const Queue& queue, std::int64_t now) {
  std::vector<std::string> out;
  for (const auto& one : queue.contents(kMany, at(now)).pending) out.push_back(one.waiting.key());
  return out;
}

std::string message_of(const Queue& queue, const std::string& key) {
  const auto condition = queue.reservation(key).condition;
  return condition ? condition->message : "";
}

TEST(Queue, WhoStartsMayRunOnlyOnceItIsWrittenDown) {
  Limited queue(4);
  queue.set("lab/a", waits(2), at(0));
  const Batch batch = queue.decide(at(0));
  ASSERT_EQ(batch.add.size(), 1U);
  EXPECT_EQ(batch.add[0], (Entry{"lab/a", "job", 2, at(0)}));
  EXPECT_EQ(queue.reservation("lab/a").granted, 0);
  EXPECT_EQ(queue.written(batch, at(0)), Keys{"lab/a"});
  EXPECT_EQ(queue.reservation("lab/a").granted, 2);
  EXPECT_EQ(queue.reservation("lab/a").job, "job");
}

// Otherwise it would grow back into what another got meanwhile.
TEST(Queue, WhoShrinksKeepsWhatItsAdmissionStillAllows) {
  Limited queue(6);
  queue.set("lab/a", runs(3, 3), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  queue.set("lab/a", runs(1), at(1));
  EXPECT_EQ(queue.reservation("lab/a").granted, 6);
  EXPECT_EQ(queue.usage().cluster(), cpus(6));
  queue.set("lab/b", waits(2), at(1));
  EXPECT_EQ(admitted(queue), Keys{});
  queue.give_up(at(200));
  EXPECT_EQ(queue.reservation("lab/a").granted, 0);
  EXPECT_EQ(admitted(queue), Keys{"lab/b"});
}

TEST(Queue, WhoShrinksBeforeItsStartKeepsItToo) {
  Limited queue(4);
  queue.set("lab/a", waits(4), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  queue.set("lab/a", waits(1), at(0));
  queue.set("lab/b", waits(3, 1), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
}

TEST(Queue, WhatIsUnderWayCountsUntilTheJobRunsAndThenTheJobDoes) {
  Limited queue(4);
  queue.set("lab/a", waits(3), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  queue.set("lab/b", waits(2, 1), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
  queue.set("lab/a", runs(3), at(1));
  EXPECT_EQ(queue.usage().cluster(), cpus(3)) << "not twice";
  const Batch batch = queue.decide(at(1));
  EXPECT_TRUE(batch.add.empty());
  EXPECT_EQ(batch.remove, Keys{"job"});
  Workload ended;
  ended.job = "job";
  queue.set("lab/a", ended, at(2));
  EXPECT_EQ(admitted(queue), Keys{"lab/b"});
}

Keys keys_of(const auto& rows, auto key) {
  Keys out;
  for (const auto& one : rows) out.push_back(key(one));
  return out;
}

TEST(Queue, ItsContentsAreWhoRunsWhoWaitsAndWhoGrowsWithTheReasons) {
  Limited queue(4);
  queue.set("lab/grows", runs(1, 5), at(0));
  queue.set("lab/runs", runs(2), at(0));
  queue.set("lab/large", waits(9), at(0));
  queue.set("lab/late", waits(3, 2), at(0));
  queue.set("lab/early", waits(2, 1), at(0));
  queue.set("lab/small", waits(1, 3), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/small"});
  const QueueContents now = queue.contents(10, at(5));
  EXPECT_EQ(now.used, cpus(4));
  EXPECT_EQ(now.under_way, 1U);
  EXPECT_EQ(keys_of(now.admitted, [](const auto& one) { return one.running.key; }),
            (Keys{"lab/grows", "lab/runs", "lab/small"}));
  EXPECT_EQ(now.admitted[1].job, "job");
  EXPECT_EQ(now.admitted[1].pods, 2);
  EXPECT_EQ(now.admitted[1].grant, 0);
  EXPECT_EQ(now.admitted[2].grant, 1);
  EXPECT_EQ(keys_of(now.pending, [](const auto& one) { return one.waiting.key(); }),
            (Keys{"lab/large", "lab/early", "lab/late"}));
  EXPECT_EQ(now.pending[0].never->missing, api::Quantity(5));
  EXPECT_EQ(now.pending[1].reason.shortage->missing, api::Quantity(2));
  EXPECT_EQ(now.pending[1].pods, 2);
  EXPECT_FALSE(now.pending[1].next);
  ASSERT_EQ(now.growing.size(), 1U);
  EXPECT_EQ(now.growing[0].wanted, 6);
  EXPECT_EQ(now.growing[0].shortage->missing, api::Quantity(5));
}

TEST(Queue, ItsContentsAreBoundedAndCounted) {
  Limited queue(2);
  for (const char* key : {"lab/a", "lab/b"}) queue.set(key, runs(1, 1), at(0));
  for (const char* key : {"lab/c", "lab/d", "lab/e"}) queue.set(key, waits(1), at(0));
  const QueueContents now = queue.contents(1, at(0));
  EXPECT_EQ(now.admitted.size(), 1U);
  EXPECT_EQ(now.admitted_count, 2U);
  EXPECT_EQ(now.pending.size(), 1U);
  EXPECT_EQ(now.pending_count, 3U);
  EXPECT_EQ(now.growing.size(), 1U);
  EXPECT_EQ(now.growing_count, 2U);
}

TEST(Queue, ItsContentsTellWhoStartsNextAndChangeNothing) {
  Limited queue(2);
  queue.set("lab/a", waits(2), at(0));
  EXPECT_TRUE(queue.contents(10, at(0)).pending.at(0).next);
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
}

TEST(Queue, ItsContentsHaveTheHeadAndItsPromise) {
  Queue queue;
  queue.set_policy(limit(4, Strategy::EASYBackfill), {}, "");
  Workload ends = runs(3);
  ends.end = at(60);
  queue.set("lab/runs", ends, at(0));
  queue.set("lab/head", waits(4), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
  const QueueContents now = queue.contents(10, at(5));
  EXPECT_EQ(now.head, "lab/head");
  EXPECT_EQ(now.promise, at(60));
}

TEST(Queue, WithoutAPolicyItsContentsSayWhyNothingStarts) {
  Queue queue;
  queue.set_policy(std::nullopt, {}, "Nothing starts.");
  queue.set("lab/a", waits(2), at(0));
  queue.set("lab/b", runs(1, 1), at(0));
  const QueueContents now = queue.contents(10, at(0));
  EXPECT_EQ(now.policy, std::nullopt);
  EXPECT_EQ(now.why, "Nothing starts.");
  EXPECT_EQ(now.pending.at(0).waiting.key(), "lab/a");
  EXPECT_EQ(now.growing.at(0).key, "lab/b");
  EXPECT_EQ(now.growing.at(0).shortage, std::nullopt);
}

// The thread of the queue goes on meanwhile; ThreadSanitizer sees what no lock guards.
TEST(Queue, AnotherThreadMayAskForItsContents) {
  Limited queue(kMany);
  std::atomic<bool> ends = false;
  std::size_t most = 0;
  std::thread asks([&] {
    while (!ends) most = std::max(most, queue.contents(10, at(0)).admitted_count);
    most = std::max(most, queue.contents(10, at(0)).admitted_count);
  });
  for (int i = 0; i < kMany; ++i) {
    const std::string key = "lab/" + std::to_string(i);
    queue.set(key, waits(1), at(0));
    admitted(queue);
    queue.tell(at(0));
    queue.set(key, runs(1), at(0));
    queue.give_up(at(0));
  }
  ends = true;
  asks.join();
  EXPECT_EQ(most, static_cast<std::size_t>(kMany));
}

TEST(Queue, EveryWriteRemovesWhatIsDone) {
  Limited queue(4);
  queue.set("lab/a", waits(2), at(0));
  admitted(queue);
  queue.set("lab/a", runs(2), at(1));
  queue.set("lab/b", waits(1, 1), at(1));
  const Batch batch = queue.decide(at(1));
  EXPECT_EQ(batch.add.size(), 1U);
  EXPECT_EQ(batch.remove, Keys{"job"});
  queue.written(batch, at(1));
  EXPECT_TRUE(queue.decide(at(1)).remove.empty());
}

TEST(Queue, ANewLeaderFinishesWhatItReads) {
  Queue queue({{"lab/a", "job", 3}});
  queue.set("lab/a", waits(3), at(0));
  queue.set("lab/b", waits(2, 1), at(0));
  queue.set_policy(limit(4), {}, "");
  EXPECT_EQ(admitted(queue), Keys{});
  EXPECT_EQ(queue.reservation("lab/a").granted, 3);
  EXPECT_EQ(queue.usage().cluster(), cpus(3));
}

// The leader before has written both under a higher limit.
struct Lowered : Queue {
  explicit Lowered(std::int64_t cpu) : Queue({{"lab/a", "job", 3}, {"lab/b", "job", 2}}) {
    set("lab/a", waits(3), at(0));
    set("lab/b", waits(2, 1), at(0));
    set_policy(limit(cpu), {}, "");
  }
};

TEST(Queue, AnAdmissionUnderWayThatNoLongerFitsWaitsAgain) {
  Lowered queue(4);
  EXPECT_EQ(queue.examine(at(0)), Keys{"lab/b"});
  EXPECT_EQ(queue.reservation("lab/a").granted, 3);
  EXPECT_EQ(queue.reservation("lab/b").granted, 0);
  EXPECT_EQ(queue.tell(at(0)), Keys{"lab/b"});
  EXPECT_THAT(queue.reservation("lab/b").condition->message,
              testing::HasSubstr("Place 1 in the queue."));
  queue.set("lab/a", Workload(), at(1));
  EXPECT_EQ(queue.examine(at(1)), Keys{"lab/b"}) << "it fits again";
  EXPECT_EQ(queue.reservation("lab/b").granted, 2);
  EXPECT_FALSE(queue.reservation("lab/b").condition);
}

// What the old leader has sent late may still start it.
TEST(Queue, AnAdmissionThatIsWithheldCountsUntilItCanNoLongerStart) {
  Lowered queue(4);
  queue.examine(at(0));
  queue.set("lab/c", waits(1, 2), at(0));
  EXPECT_EQ(queue.next(at(0)), at(120));
  queue.give_up(at(119));
  queue.examine(at(119));
  EXPECT_EQ(queue.usage().cluster(), cpus(5));
  EXPECT_EQ(admitted(queue, 119), Keys{});
  queue.give_up(at(120));
  EXPECT_EQ(queue.examine(at(120)), Keys{});
  EXPECT_EQ(queue.usage().cluster(), cpus(3));
  EXPECT_EQ(admitted(queue, 120), Keys{"lab/c"});
  EXPECT_EQ(queue.waiting(), 1U);
}

// Its pods have ended the Job while it was suspended.
TEST(Queue, AnAdmissionThatNobodyWantsAnyMoreIsGivenUpLater) {
  Limited queue(2);
  queue.set("lab/a", waits(2), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  Workload ended = waits(2);
  ended.start = {};
  queue.set("lab/a", ended, at(1));
  queue.set("lab/b", waits(2, 1), at(1));
  EXPECT_EQ(queue.next(at(1)), at(121));
  queue.give_up(at(120));
  EXPECT_EQ(admitted(queue, 120), Keys{});
  queue.give_up(at(121));
  EXPECT_EQ(admitted(queue, 121), Keys{"lab/b"});
}

TEST(Queue, OneThatIsWithheldAndStartsNeverthelessKeepsRunning) {
  Lowered queue(4);
  queue.examine(at(0));
  queue.set("lab/b", runs(2), at(1));
  EXPECT_EQ(queue.decide(at(1)).remove, Keys{"job"});
  EXPECT_EQ(queue.usage().cluster(), cpus(5));
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST(Queue, HigherLimitsLetAnAdmissionGoOnThatWasWithheld) {
  Lowered queue(4);
  queue.examine(at(0));
  queue.set_policy(limit(5), {}, "");
  EXPECT_EQ(queue.examine(at(1)), Keys{"lab/b"});
  EXPECT_EQ(queue.reservation("lab/b").granted, 2);
  EXPECT_FALSE(queue.next(at(1)));
}

TEST(Queue, AGrowthUnderWayThatNoLongerFitsWaitsAgain) {
  Limited queue(6);
  queue.set("lab/a", runs(2, 3), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  queue.set_policy(limit(4), {}, "");
  EXPECT_EQ(queue.examine(at(1)), Keys{"lab/a"});
  EXPECT_EQ(queue.reservation("lab/a").granted, 0);
  queue.tell(at(1));
  EXPECT_EQ(queue.reservation("lab/a").condition->reason, "GrowthWaits");
}

TEST(Queue, OtherLimitsIntoWhichEverythingFitsChangeNoAdmission) {
  Lowered queue(5);
  EXPECT_EQ(queue.examine(at(0)), Keys{});
  queue.set_policy(limit(9), {}, "");
  EXPECT_EQ(queue.examine(at(1)), Keys{});
  EXPECT_FALSE(queue.next(at(1)));
}

TEST(Queue, AnEntryWhoseMiniClusterIsGoneIsRemoved) {
  Queue queue({{"lab/a", "job", 3}});
  queue.set_policy(limit(4), {}, "");
  queue.set("lab/a", Workload(), at(0));
  EXPECT_EQ(queue.decide(at(0)).remove, Keys{"job"});
}

TEST(Queue, AnEntryOfAnotherJobIsVoid) {
  Queue queue({{"lab/a", "earlier", 3}});
  queue.set_policy(limit(4), {}, "");
  queue.set("lab/a", waits(4), at(0));
  EXPECT_EQ(queue.reservation("lab/a").granted, 0);
  const Batch batch = queue.decide(at(0));
  EXPECT_EQ(batch.remove, Keys{"earlier"});
  ASSERT_EQ(batch.add.size(), 1U);
  EXPECT_EQ(batch.add[0].job, "job");
}

TEST(Queue, OneThatItsOwnerSuspendsBeforeItRanGivesItsRoomBack) {
  Limited queue(4);
  queue.set("lab/a", waits(4), at(0));
  admitted(queue);
  Workload suspended;
  suspended.job = "job";
  suspended.size = 4;
  queue.set("lab/a", suspended, at(1));
  queue.set("lab/b", waits(4, 1), at(1));
  EXPECT_EQ(admitted(queue), Keys{"lab/b"});
}

TEST(Queue, OneThatIsDeletedBeforeItRanKeepsItsRoomUntilItsJobIsGone) {
  Limited queue(4);
  queue.set("lab/a", waits(4), at(0));
  admitted(queue);
  Workload deleted = waits(4);
  deleted.start = {};
  queue.set("lab/a", deleted, at(1));
  queue.set("lab/b", waits(4, 1), at(1));
  EXPECT_EQ(admitted(queue), Keys{}) << "a resume may be on its way";
  queue.set("lab/a", Workload(), at(2));
  EXPECT_EQ(admitted(queue), Keys{"lab/b"});
}

TEST(Queue, GrowthTakesWhatIsFree) {
  Limited queue(4);
  queue.set("lab/a", runs(2, 2), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  EXPECT_EQ(queue.reservation("lab/a").granted, 4);
  EXPECT_EQ(queue.usage().cluster(), cpus(4));
  queue.set("lab/a", runs(4), at(1));
  EXPECT_EQ(queue.usage().cluster(), cpus(4));
  EXPECT_EQ(queue.decide(at(1)).remove, Keys{"job"});
}

TEST(Queue, GrowthThatDoesNotFitIsToldAndComesLater) {
  Limited queue(4);
  queue.set("lab/a", runs(2, 2), at(0));
  queue.set("lab/b", runs(1), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
  EXPECT_EQ(queue.tell(at(0)), Keys{"lab/a"});
  const auto told = queue.reservation("lab/a").condition;
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->status);
  EXPECT_EQ(told->reason, "GrowthWaits");
  EXPECT_THAT(told->message, testing::HasSubstr("keeps 2 pods instead of 4. Waiting for 1 CPU."));
  queue.set("lab/b", Workload(), at(1));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  EXPECT_FALSE(queue.reservation("lab/a").condition);
}

TEST(Queue, AGrowthThatNobodyWantsAnyMoreIsGivenUpLater) {
  Limited queue(4);
  queue.set("lab/a", runs(2, 2), at(0));
  admitted(queue);
  queue.set("lab/a", runs(2), at(1));
  EXPECT_EQ(queue.usage().cluster(), cpus(4)) << "a request to grow may be on its way";
  ASSERT_TRUE(queue.next(at(1)));
  queue.give_up(at(120));
  EXPECT_EQ(queue.usage().cluster(), cpus(4));
  queue.give_up(at(121));
  EXPECT_EQ(queue.usage().cluster(), cpus(2));
  EXPECT_FALSE(queue.next(at(121)));
}

// Who was admitted in the same turn takes nothing from what the others are told.
TEST(Queue, AGrowthHidesNobodysPlace) {
  Limited queue(4);
  queue.set("lab/a", runs(2, 2), at(0));
  queue.set("lab/b", waits(4, 1), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  queue.tell(at(0));
  EXPECT_EQ(queue.reservation("lab/b").condition->message,
            "Place 1 in the queue. Waiting for 4 CPUs. The cluster-wide limit is 4.");
}

TEST(Queue, TheHeadKeepsItsPromiseUntilItChanges) {
  Queue queue;
  queue.set_policy(limit(10, Strategy::EASYBackfill), {}, "");
  Workload running = runs(6);
  running.end = at(100);
  queue.set("lab/r", running, at(0));
  queue.set("lab/head", waits(7, 1), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
  EXPECT_EQ(queue.next(at(0)), at(100));
  queue.set("lab/head", waits(7, 1), at(1));
  queue.set("lab/earlier", waits(8, 0), at(1));
  EXPECT_EQ(admitted(queue, 1), Keys{});
  queue.tell(at(1));
  const auto told = [&](const std::string& key) {
    return queue.reservation(key).condition->message;
  };
  EXPECT_THAT(told("lab/head"), testing::HasSubstr("Place 2 in the queue."));
  EXPECT_THAT(told("lab/head"), testing::HasSubstr("It starts at "));
  EXPECT_THAT(told("lab/earlier"), testing::Not(testing::HasSubstr("It starts at ")));
  queue.set("lab/head", waits(9, 1), at(2));
  EXPECT_EQ(admitted(queue, 2), Keys{});
  queue.tell(at(2));
  EXPECT_THAT(told("lab/earlier"), testing::HasSubstr("It starts at "));
}

// Nothing counts before it is written: a decision whose write failed is made again.
TEST(Queue, ADecisionIsRepeatedUntilItIsWritten) {
  Limited queue(4);
  queue.set("lab/a", waits(3), at(0));
  queue.set("lab/b", runs(1, 1), at(0));
  EXPECT_EQ(queue.decide(at(0)).add, queue.decide(at(0)).add);
  EXPECT_EQ(queue.usage().cluster(), cpus(1));
  EXPECT_EQ(admitted(queue), Keys{"lab/a"});
  EXPECT_EQ(queue.usage().cluster(), cpus(4));
}

TEST(Queue, WithoutAPolicyNobodyStartsAndEverybodyIsToldWhy) {
  Queue queue;
  queue.set_policy(std::nullopt, {}, "Every FluxSetup is invalid.");
  queue.set("lab/a", waits(1), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
  EXPECT_EQ(queue.tell(at(0)), Keys{"lab/a"});
  EXPECT_EQ(queue.reservation("lab/a").condition->message, "Every FluxSetup is invalid.");
  EXPECT_EQ(queue.reservation("lab/a").condition->reason, "Waiting");
}

TEST(Queue, ThePlaceIsToldExactlyForTenAndRoughlyBeyond) {
  Limited queue(1);
  queue.set("lab/runs", runs(1), at(0));
  for (int i = 0; i < 150; ++i) queue.set("lab/" + std::to_string(i), waits(1, i), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
  EXPECT_EQ(queue.tell(at(0)).size(), 150U);
  const auto message = [&](int i) {
    return queue.reservation("lab/" + std::to_string(i)).condition->message;
  };
  EXPECT_EQ(message(0), "Place 1 in the queue. Waiting for 1 CPU. The cluster-wide limit is 1.");
  EXPECT_EQ(message(9).substr(0, 22), "Place 10 in the queue.");
  EXPECT_EQ(message(10), "At least 10 MiniClusters are ahead of it in the queue.");
  EXPECT_EQ(message(100), "At least 100 MiniClusters are ahead of it in the queue.");
  const auto position = [&](int i) {
    return queue.reservation("lab/" + std::to_string(i)).condition->position;
  };
  EXPECT_EQ(position(0), 1);
  EXPECT_EQ(position(9), 10);
  EXPECT_EQ(position(10), 11);
  EXPECT_EQ(position(99), 11);
  EXPECT_EQ(position(100), 101);
}

TEST(Queue, AnAdmissionChangesTheConditionOfFew) {
  Limited queue(1);
  queue.set("lab/runs", runs(1), at(0));
  for (int i = 0; i < kMany; ++i) queue.set("lab/" + std::to_string(i), waits(1, i), at(0));
  admitted(queue);
  queue.tell(at(0));
  queue.set("lab/runs", Workload(), at(1));
  EXPECT_EQ(admitted(queue, 1), Keys{"lab/0"});
  EXPECT_EQ(queue.tell(at(1)).size(), 12U) << "ten places, and two that pass 100 and 1000";
}

TEST(Queue, OneThatNeverFitsIsToldSoAndHoldsNobodyBack) {
  Queue queue;
  queue.set_policy(limit(4, queueing::Strategy::StrictFIFO), {}, "");
  queue.set("lab/large", waits(5), at(0));
  queue.set("lab/small", waits(4, 1), at(0));
  EXPECT_EQ(admitted(queue), Keys{"lab/small"});
  queue.tell(at(0));
  EXPECT_EQ(queue.reservation("lab/large").condition->reason, "NeverFits");
  EXPECT_EQ(queue.reservation("lab/large").condition->message,
            "The MiniCluster needs 5 CPUs, but the cluster-wide limit is 4.");
}

TEST(Queue, TheLogStaysSmallAndNobodyIsForgotten) {
  Limited queue(kMany);
  for (int i = 0; i < kMany; ++i) {
    Workload workload = waits(1, i);
    workload.job = "job " + std::to_string(i);
    queue.set("lab/" + std::to_string(i), workload, at(0));
  }
  Keys all;
  for (int round = 0; round < 3; ++round) {
    const Keys started = admitted(queue);
    EXPECT_LE(started.size(), kMostUnderWay);
    for (const std::string& key : started) {
      Workload workload = runs(1);
      workload.job = queue.reservation(key).job;
      queue.set(key, workload, at(0));
    }
    all.insert(all.end(), started.begin(), started.end());
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(queue.usage().cluster(), cpus(kMany));
}

TEST(Queue, ANewLimitStopsNobodyWhoRuns) {
  Limited queue(4);
  queue.set("lab/a", runs(4), at(0));
  queue.set_policy(limit(1), {}, "");
  queue.set("lab/b", waits(1), at(0));
  EXPECT_EQ(admitted(queue), Keys{});
  EXPECT_EQ(queue.admitted(), 1U);
  EXPECT_EQ(queue.waiting(), 1U);
}

TEST(FairQueue, WithoutFairShareTheOrderIsThatOfCreation) {
  Limited queue(4);
  queue.set("flood/a", runs(4), at(0));
  queue.set("flood/b", waits(1, 1), at(1));
  queue.set("light/c", waits(1, 2), at(2));
  admitted(queue, 3600);
  EXPECT_EQ(order_of(queue, 3600), (Keys{"flood/b", "light/c"}));
  EXPECT_EQ(queue.fair_share(), nullptr);
  EXPECT_EQ(queue.next(at(3600)), std::nullopt) << "time alone changes nothing";
  queue.tell(at(3600));
  EXPECT_EQ(message_of(queue, "light/c"),
            "Place 2 in the queue. Waiting for 1 CPU. The cluster-wide limit is 4.");
}

TEST(FairQueue, WhoHasUsedLessIsBeforeWhoCameEarlier) {
  Queue queue;
  queue.set_policy(with_fair_share(4, Strategy::StrictFIFO), {}, "");
  queue.set("flood/a", runs(4), at(0));
  queue.set("flood/b", waits(1, 1), at(1));
  EXPECT_EQ(admitted(queue, 1), Keys{});
  queue.set("light/c", waits(1, 3600), at(3600));
  EXPECT_EQ(admitted(queue, 3600), Keys{}) << "nobody stops what runs";
  EXPECT_EQ(order_of(queue, 3600), (Keys{"light/c", "flood/b"}));
  queue.tell(at(3600));
  EXPECT_EQ(message_of(queue, "light/c"),
            "Place 1 in the queue. Waiting for 1 CPU. The cluster-wide limit is 4. Priority: class "
            "0, fair share 1.00, age 0.00.");
  EXPECT_EQ(message_of(queue, "flood/b"),
            "Place 2 in the queue. Waiting for 1 CPU. The cluster-wide limit is 4. Priority: class "
            "0, fair share 0.50, age 0.20.");
  queue.set_policy(limit(4, Strategy::StrictFIFO), {}, "");
  admitted(queue, 3600);
  EXPECT_EQ(order_of(queue, 3600), (Keys{"flood/b", "light/c"})) << "it was turned off";
}

TEST(FairQueue, TheOrderIsMadeAnewOnceAMinute) {
  Queue queue;
  queue.set_policy(with_fair_share(4, Strategy::StrictFIFO), {}, "");
  EXPECT_EQ(queue.next(at(0)), std::nullopt);
  queue.set("flood/a", runs(4), at(0));
  queue.set("flood/b", waits(1, 0), at(0));
  queue.set("light/c", waits(1, 1), at(1));
  admitted(queue, 1);
  EXPECT_EQ(queue.next(at(1)), at(61));
  EXPECT_EQ(order_of(queue, 1), (Keys{"flood/b", "light/c"})) << "a second is next to no use";
  admitted(queue, 60);
  EXPECT_EQ(order_of(queue, 60), (Keys{"flood/b", "light/c"}));
  admitted(queue, 61);
  EXPECT_EQ(order_of(queue, 61), (Keys{"light/c", "flood/b"}));
  EXPECT_EQ(queue.next(at(61)), at(121));
  EXPECT_EQ(queue.next(at(-1000)), at(-940)) << "the clock went back";
}

TEST(FairQueue, AnotherOrderTakesNoPromiseBack) {
  Queue queue;
  queue.set_policy(with_fair_share(4, Strategy::EASYBackfill), {}, "");
  Workload running = runs(4);
  running.end = at(7200);
  queue.set("flood/a", running, at(0));
  queue.set("flood/head", waits(4, 1), at(1));
  admitted(queue, 1);
  ASSERT_EQ(queue.contents(1, at(1)).head, "flood/head");
  queue.set("light/c", waits(4, 3600), at(3600));
  admitted(queue, 3600);
  EXPECT_EQ(order_of(queue, 3600), (Keys{"light/c", "flood/head"}));
  EXPECT_EQ(queue.contents(1, at(3600)).head, "flood/head");
  EXPECT_EQ(queue.contents(1, at(3600)).promise, at(7200));
  queue.set("flood/a", workload(4), at(3601));
  EXPECT_EQ(admitted(queue, 3601), Keys{"flood/head"});
}

TEST(FairQueue, PodsThatOutlastTheirMiniClusterAreOfItsAccount) {
  Queue queue;
  queue.set_policy(with_fair_share(4, Strategy::StrictFIFO), {}, "");
  Workload one = runs(4);
  one.account = "x";
  queue.set("lab/a", one, at(0));
  admitted(queue, 0);
  Workload rest;
  rest.used = cpus(4);
  queue.set("lab/a", rest, at(10));
  const Uses uses = queue.fair_share()->uses(at(3600));
  ASSERT_EQ(uses.of.size(), 1U);
  EXPECT_DOUBLE_EQ(uses.of.at({"lab", "x"}), 0.5);
}

TEST(FairQueue, ANewLeaderGoesOnWithTheUsesOfTheLast) {
  Queue queue;
  queue.set_policy(with_fair_share(4, Strategy::StrictFIFO), {}, "");
  queue.resume({at(0), {{{"flood", ""}, 0.9}}}, at(60));
  queue.set("other/a", runs(4), at(60));
  queue.set("flood/b", waits(1, 1), at(60));
  queue.set("light/c", waits(1, 50), at(60));
  admitted(queue, 60);
  EXPECT_EQ(order_of(queue, 60), (Keys{"light/c", "flood/b"}));
}

TEST(FairQueue, OnlyTheFirstAreToldWhatMakesUpTheirPlace) {
  Queue queue;
  queue.set_policy(with_fair_share(4, Strategy::StrictFIFO), {}, "");
  queue.set("lab/a", runs(4), at(0));
  for (int i = 100; i < 300; ++i) queue.set("lab/" + std::to_string(i), waits(1, i), at(300));
  admitted(queue, 300);
  EXPECT_EQ(queue.tell(at(300)).size(), 200U);
  EXPECT_EQ(message_of(queue, "lab/199"),
            "At least 10 MiniClusters are ahead of it in the queue. Priority: class 0, fair share "
            "0.95, age 0.00.");
  EXPECT_EQ(message_of(queue, "lab/200"),
            "At least 100 MiniClusters are ahead of it in the queue.");
  std::size_t told = 0;
  for (std::int64_t now = 360; now <= 3900; now += 60) {
    admitted(queue, now);
    const std::size_t changed = queue.tell(at(now)).size();
    EXPECT_LE(changed, 100U);
    told += changed;
  }
  EXPECT_LE(told, 1400U) << "steps of 0.05: 10 of the fair share, and 5 of the age, of 100";
}

}  // namespace
}  // namespace mc::controller::queueing
