#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "services/controller/queueing/queue.h"
#include "tests/services/controller/queueing/builders.h"

// What a queue makes of MiniClusters that agreed to be suspended for others.
namespace mc::controller::queueing::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Workload waits(std::int64_t cpu, const std::string& priority_class = "") {
  Workload out = waiting_workload(cpu);
  out.priority_class = priority_class;
  return out;
}

Workload runs(std::int64_t cpu) {
  Workload out = running_workload(cpu);
  out.is_preemptible = true;
  return out;
}

// Suspended, while its pods end.
Workload leaves(std::int64_t cpu) {
  Workload out = waits(cpu);
  out.used = cpus(cpu);
  out.was_preempted = true;
  return out;
}

struct Limited : Queue {
  explicit Limited(Strategy strategy = Strategy::BestEffortFIFO) {
    Policy policy;
    policy.setup = "site";
    policy.limits = {strategy, cpus(4), {}};
    policy.priority_classes["lab"] = {"urgent"};
    set_policy(policy, {{"urgent", 10}}, "");
  }
  std::vector<std::string> turn(std::int64_t now) { return written(decide(at(now)), at(now)); }
};

TEST(QueuePreemption, TellsTheVictimOnceAndAgainWhenNobodyNeedsItsRoomAnyMore) {
  Limited queue;
  queue.set("lab/low", runs(4), at(0));
  queue.set("lab/one", waits(2, "urgent"), at(0));
  EXPECT_THAT(queue.turn(0), IsEmpty());
  EXPECT_THAT(queue.preempt(at(0)), ElementsAre("lab/low"));
  EXPECT_EQ(queue.reservation("lab/low").preempted, "job");
  EXPECT_THAT(queue.preempt(at(1)), IsEmpty());
  queue.set("lab/one", Workload(), at(2));
  EXPECT_THAT(queue.preempt(at(2)), ElementsAre("lab/low"));
  EXPECT_EQ(queue.reservation("lab/low").preempted, "");
}

TEST(QueuePreemption, TheRoomGoesToTheOneThatNeededItAndTheVictimStartsAfterIt) {
  for (const Strategy strategy :
       {Strategy::BestEffortFIFO, Strategy::StrictFIFO, Strategy::EASYBackfill}) {
    Limited queue(strategy);
    queue.set("lab/low", runs(4), at(0));
    queue.set("lab/one", waits(4, "urgent"), at(0));
    queue.set("lab/small", waits(1), at(0));
    EXPECT_THAT(queue.turn(0), IsEmpty());
    EXPECT_THAT(queue.preempt(at(0)), ElementsAre("lab/low"));
    Workload half = leaves(4);
    half.used = cpus(2);
    queue.set("lab/low", half, at(1));
    EXPECT_THAT(queue.preempt(at(1)), ElementsAre("lab/low")) << "it is suspended";
    EXPECT_THAT(queue.turn(1), IsEmpty()) << name_of(strategy);
    queue.set("lab/low", waits(4), at(2));
    EXPECT_THAT(queue.preempt(at(2)), IsEmpty());
    EXPECT_THAT(queue.turn(2), ElementsAre("lab/one"));
    EXPECT_THAT(queue.preempt(at(3)), IsEmpty());
  }
}

TEST(QueuePreemption, NobodyIsSuspendedThatIsAboutToStartOrDidNotAgree) {
  Limited queue;
  queue.set("lab/low", waits(4), at(0));
  ASSERT_THAT(queue.turn(0), ElementsAre("lab/low"));
  Workload starts = runs(4);
  starts.size = 3;  // its admission is still under way
  queue.set("lab/low", starts, at(1));
  queue.set("lab/one", waits(2, "urgent"), at(1));
  EXPECT_THAT(queue.preempt(at(1)), IsEmpty());
  queue.set("lab/low", runs(4), at(2));
  EXPECT_THAT(queue.preempt(at(2)), ElementsAre("lab/low"));
  Workload refuses = runs(4);
  refuses.is_preemptible = false;
  queue.set("lab/low", refuses, at(3));
  EXPECT_THAT(queue.preempt(at(3)), ElementsAre("lab/low"));
  EXPECT_EQ(queue.reservation("lab/low").preempted, "");
}

TEST(QueuePreemption, OneThatWasToBeSuspendedMayVanishFirst) {
  Limited queue;
  queue.set("lab/low", runs(4), at(0));
  queue.set("lab/one", waits(2, "urgent"), at(0));
  ASSERT_THAT(queue.preempt(at(0)), ElementsAre("lab/low"));
  queue.set("lab/low", Workload(), at(1));
  EXPECT_EQ(queue.reservation("lab/low").preempted, "");
}

TEST(QueuePreemption, NobodyIsSuspendedForAPriorityThatTheFluxSetupDoesNotAllow) {
  Limited queue;
  queue.set("lab/low", runs(4), at(0));
  queue.set("other/one", waits(2, "urgent"), at(0));
  EXPECT_THAT(queue.preempt(at(0)), IsEmpty());
}

}  // namespace
}  // namespace mc::controller::queueing::test
