#include "services/controller/queueing/queue.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing {
namespace {

using queueing::test::at;
using queueing::test::cpus;

constexpr int kMany = 2000;

Rules limit(std::int64_t cpu, queueing::Strategy strategy = queueing::Strategy::BestEffortFIFO) {
  Rules out;
  out.setup = "site";
  out.limits.strategy = strategy;
  out.limits.hard = cpus(cpu);
  return out;
}

// One whose Job waits and needs `cpu`.
Claim waits(std::int64_t cpu, std::int64_t created = 0) {
  Claim out;
  out.job = "job";
  out.waits = true;
  out.size = cpu;
  out.pod = cpus(1);
  out.held_back = cpus(cpu);
  out.start = {cpus(cpu), cpu};
  out.created = at(created);
  return out;
}

// The same after its start, if it has `cpu` pods and wants `more`.
Claim runs(std::int64_t cpu, std::int64_t more = 0) {
  Claim out;
  out.job = "job";
  out.runs = true;
  out.size = cpu;
  out.pod = cpus(1);
  out.used = cpus(cpu);
  if (more > 0) out.growth = {cpus(more), cpu + more};
  return out;
}

struct Limited : Ledger {
  explicit Limited(std::int64_t cpu) { set_rules(limit(cpu), {}, ""); }
};

// Decides and writes. The keys that were added.
std::vector<std::string> admitted(Ledger& ledger, std::int64_t now = 0) {
  return ledger.written(ledger.decide(at(now)), at(now));
}

using Keys = std::vector<std::string>;

TEST(Ledger, WhoStartsMayRunOnlyOnceItIsWrittenDown) {
  Limited ledger(4);
  ledger.set("lab/a", waits(2), at(0));
  const Batch batch = ledger.decide(at(0));
  ASSERT_EQ(batch.add.size(), 1U);
  EXPECT_EQ(batch.add[0], (Entry{"lab/a", "job", 2}));
  EXPECT_EQ(ledger.verdict("lab/a").granted, 0);
  EXPECT_EQ(ledger.written(batch, at(0)), Keys{"lab/a"});
  EXPECT_EQ(ledger.verdict("lab/a").granted, 2);
  EXPECT_EQ(ledger.verdict("lab/a").job, "job");
}

// Otherwise it would grow back into what another got meanwhile.
TEST(Ledger, WhoShrinksKeepsWhatItsAdmissionStillAllows) {
  Limited ledger(6);
  ledger.set("lab/a", runs(3, 3), at(0));
  EXPECT_EQ(admitted(ledger), Keys{"lab/a"});
  ledger.set("lab/a", runs(1), at(1));
  EXPECT_EQ(ledger.verdict("lab/a").granted, 6);
  EXPECT_EQ(ledger.usage().cluster(), cpus(6));
  ledger.set("lab/b", waits(2), at(1));
  EXPECT_EQ(admitted(ledger), Keys{});
  ledger.give_up(at(200));
  EXPECT_EQ(ledger.verdict("lab/a").granted, 0);
  EXPECT_EQ(admitted(ledger), Keys{"lab/b"});
}

TEST(Ledger, WhoShrinksBeforeItsStartKeepsItToo) {
  Limited ledger(4);
  ledger.set("lab/a", waits(4), at(0));
  EXPECT_EQ(admitted(ledger), Keys{"lab/a"});
  ledger.set("lab/a", waits(1), at(0));
  ledger.set("lab/b", waits(3, 1), at(0));
  EXPECT_EQ(admitted(ledger), Keys{});
}

TEST(Ledger, WhatIsUnderWayCountsUntilTheJobRunsAndThenTheJobDoes) {
  Limited ledger(4);
  ledger.set("lab/a", waits(3), at(0));
  EXPECT_EQ(admitted(ledger), Keys{"lab/a"});
  ledger.set("lab/b", waits(2, 1), at(0));
  EXPECT_EQ(admitted(ledger), Keys{});
  ledger.set("lab/a", runs(3), at(1));
  EXPECT_EQ(ledger.usage().cluster(), cpus(3)) << "not twice";
  const Batch batch = ledger.decide(at(1));
  EXPECT_TRUE(batch.add.empty());
  EXPECT_EQ(batch.remove, Keys{"job"});
  Claim ended;
  ended.job = "job";
  ledger.set("lab/a", ended, at(2));
  EXPECT_EQ(admitted(ledger), Keys{"lab/b"});
}

TEST(Ledger, EveryWriteRemovesWhatIsDone) {
  Limited ledger(4);
  ledger.set("lab/a", waits(2), at(0));
  admitted(ledger);
  ledger.set("lab/a", runs(2), at(1));
  ledger.set("lab/b", waits(1, 1), at(1));
  const Batch batch = ledger.decide(at(1));
  EXPECT_EQ(batch.add.size(), 1U);
  EXPECT_EQ(batch.remove, Keys{"job"});
  ledger.written(batch, at(1));
  EXPECT_TRUE(ledger.decide(at(1)).remove.empty());
}

TEST(Ledger, ANewLeaderFinishesWhatItReads) {
  Ledger ledger({{"lab/a", "job", 3}});
  ledger.set("lab/a", waits(3), at(0));
  ledger.set("lab/b", waits(2, 1), at(0));
  ledger.set_rules(limit(4), {}, "");
  EXPECT_EQ(admitted(ledger), Keys{});
  EXPECT_EQ(ledger.verdict("lab/a").granted, 3);
  EXPECT_EQ(ledger.usage().cluster(), cpus(3));
}

TEST(Ledger, AnEntryWhoseMiniClusterIsGoneIsRemoved) {
  Ledger ledger({{"lab/a", "job", 3}});
  ledger.set_rules(limit(4), {}, "");
  ledger.set("lab/a", Claim(), at(0));
  EXPECT_EQ(ledger.decide(at(0)).remove, Keys{"job"});
}

TEST(Ledger, AnEntryOfAnotherJobIsVoid) {
  Ledger ledger({{"lab/a", "earlier", 3}});
  ledger.set_rules(limit(4), {}, "");
  ledger.set("lab/a", waits(4), at(0));
  EXPECT_EQ(ledger.verdict("lab/a").granted, 0);
  const Batch batch = ledger.decide(at(0));
  EXPECT_EQ(batch.remove, Keys{"earlier"});
  ASSERT_EQ(batch.add.size(), 1U);
  EXPECT_EQ(batch.add[0].job, "job");
}

TEST(Ledger, OneThatItsOwnerSuspendsBeforeItRanGivesItsRoomBack) {
  Limited ledger(4);
  ledger.set("lab/a", waits(4), at(0));
  admitted(ledger);
  Claim suspended;
  suspended.job = "job";
  suspended.size = 4;
  ledger.set("lab/a", suspended, at(1));
  ledger.set("lab/b", waits(4, 1), at(1));
  EXPECT_EQ(admitted(ledger), Keys{"lab/b"});
}

TEST(Ledger, OneThatIsDeletedBeforeItRanKeepsItsRoomUntilItsJobIsGone) {
  Limited ledger(4);
  ledger.set("lab/a", waits(4), at(0));
  admitted(ledger);
  Claim deleted = waits(4);
  deleted.start = {};
  ledger.set("lab/a", deleted, at(1));
  ledger.set("lab/b", waits(4, 1), at(1));
  EXPECT_EQ(admitted(ledger), Keys{}) << "a resume may be on its way";
  ledger.set("lab/a", Claim(), at(2));
  EXPECT_EQ(admitted(ledger), Keys{"lab/b"});
}

TEST(Ledger, GrowthTakesWhatIsFree) {
  Limited ledger(4);
  ledger.set("lab/a", runs(2, 2), at(0));
  EXPECT_EQ(admitted(ledger), Keys{"lab/a"});
  EXPECT_EQ(ledger.verdict("lab/a").granted, 4);
  EXPECT_EQ(ledger.usage().cluster(), cpus(4));
  ledger.set("lab/a", runs(4), at(1));
  EXPECT_EQ(ledger.usage().cluster(), cpus(4));
  EXPECT_EQ(ledger.decide(at(1)).remove, Keys{"job"});
}

TEST(Ledger, GrowthThatDoesNotFitIsToldAndComesLater) {
  Limited ledger(4);
  ledger.set("lab/a", runs(2, 2), at(0));
  ledger.set("lab/b", runs(1), at(0));
  EXPECT_EQ(admitted(ledger), Keys{});
  EXPECT_EQ(ledger.tell(at(0)), Keys{"lab/a"});
  const auto told = ledger.verdict("lab/a").condition;
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->status);
  EXPECT_EQ(told->reason, "GrowthWaits");
  EXPECT_EQ(
      told->message,
      "The Job keeps 2 pods instead of 4: 1 cpu must become free within the limit of 4 cpu of "
      "all namespaces.");
  ledger.set("lab/b", Claim(), at(1));
  EXPECT_EQ(admitted(ledger), Keys{"lab/a"});
  EXPECT_FALSE(ledger.verdict("lab/a").condition);
}

TEST(Ledger, AGrowthThatNobodyWantsAnyMoreIsGivenUpLater) {
  Limited ledger(4);
  ledger.set("lab/a", runs(2, 2), at(0));
  admitted(ledger);
  ledger.set("lab/a", runs(2), at(1));
  EXPECT_EQ(ledger.usage().cluster(), cpus(4)) << "a request to grow may be on its way";
  ASSERT_TRUE(ledger.next(at(1)));
  ledger.give_up(at(120));
  EXPECT_EQ(ledger.usage().cluster(), cpus(4));
  ledger.give_up(at(121));
  EXPECT_EQ(ledger.usage().cluster(), cpus(2));
  EXPECT_FALSE(ledger.next(at(121)));
}

TEST(Ledger, WithoutRulesNobodyStartsAndEverybodyIsToldWhy) {
  Ledger ledger;
  ledger.set_rules(std::nullopt, {}, "Every FluxSetup is invalid.");
  ledger.set("lab/a", waits(1), at(0));
  EXPECT_EQ(admitted(ledger), Keys{});
  EXPECT_EQ(ledger.tell(at(0)), Keys{"lab/a"});
  EXPECT_EQ(ledger.verdict("lab/a").condition->message, "Every FluxSetup is invalid.");
  EXPECT_EQ(ledger.verdict("lab/a").condition->reason, "Waiting");
}

TEST(Ledger, ThePlaceIsToldExactlyForTenAndRoughlyBeyond) {
  Limited ledger(1);
  ledger.set("lab/runs", runs(1), at(0));
  for (int i = 0; i < 150; ++i) ledger.set("lab/" + std::to_string(i), waits(1, i), at(0));
  EXPECT_EQ(admitted(ledger), Keys{});
  EXPECT_EQ(ledger.tell(at(0)).size(), 150U);
  const auto message = [&](int i) {
    return ledger.verdict("lab/" + std::to_string(i)).condition->message;
  };
  EXPECT_EQ(message(0),
            "Place 1 in the queue. 1 cpu must become free within the limit of 1 cpu of "
            "all namespaces.");
  EXPECT_EQ(message(9).substr(0, 22), "Place 10 in the queue.");
  EXPECT_EQ(message(10), "At least 10 MiniClusters wait before it.");
  EXPECT_EQ(message(100), "At least 100 MiniClusters wait before it.");
}

TEST(Ledger, AnAdmissionChangesTheConditionOfFew) {
  Limited ledger(1);
  ledger.set("lab/runs", runs(1), at(0));
  for (int i = 0; i < kMany; ++i) ledger.set("lab/" + std::to_string(i), waits(1, i), at(0));
  admitted(ledger);
  ledger.tell(at(0));
  ledger.set("lab/runs", Claim(), at(1));
  EXPECT_EQ(admitted(ledger, 1), Keys{"lab/0"});
  EXPECT_EQ(ledger.tell(at(1)).size(), 12U) << "ten places, and two that pass 100 and 1000";
}

TEST(Ledger, OneThatNeverFitsIsToldSoAndHoldsNobodyBack) {
  Ledger ledger;
  ledger.set_rules(limit(4, queueing::Strategy::StrictFIFO), {}, "");
  ledger.set("lab/large", waits(5), at(0));
  ledger.set("lab/small", waits(4, 1), at(0));
  EXPECT_EQ(admitted(ledger), Keys{"lab/small"});
  ledger.tell(at(0));
  EXPECT_EQ(ledger.verdict("lab/large").condition->reason, "NeverFits");
  EXPECT_EQ(ledger.verdict("lab/large").condition->message,
            "It needs 5 cpu, which is more than the limit of 4 cpu of all namespaces.");
}

TEST(Ledger, TheWorkspaceStaysSmallAndNobodyIsForgotten) {
  Limited ledger(kMany);
  for (int i = 0; i < kMany; ++i) {
    Claim claim = waits(1, i);
    claim.job = "job " + std::to_string(i);
    ledger.set("lab/" + std::to_string(i), claim, at(0));
  }
  Keys all;
  for (int round = 0; round < 3; ++round) {
    const Keys started = admitted(ledger);
    EXPECT_LE(started.size(), kMostUnderWay);
    for (const std::string& key : started) {
      Claim claim = runs(1);
      claim.job = ledger.verdict(key).job;
      ledger.set(key, claim, at(0));
    }
    all.insert(all.end(), started.begin(), started.end());
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(ledger.usage().cluster(), cpus(kMany));
}

TEST(Ledger, ANewLimitStopsNobodyWhoRuns) {
  Limited ledger(4);
  ledger.set("lab/a", runs(4), at(0));
  ledger.set_rules(limit(1), {}, "");
  ledger.set("lab/b", waits(1), at(0));
  EXPECT_EQ(admitted(ledger), Keys{});
  EXPECT_EQ(ledger.admitted(), 1U);
  EXPECT_EQ(ledger.waiting(), 1U);
}

}  // namespace
}  // namespace mc::controller::queueing
