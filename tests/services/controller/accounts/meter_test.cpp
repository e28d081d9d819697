#include "services/controller/accounts/meter.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/services/controller/accounts/builders.h"

namespace mc::controller::accounts {
namespace {

// What a process sees of `lab/mc`, in order.
class Seen {
 public:
  bool see(const std::optional<Job>& now, std::int64_t second, bool by_spec = false) {
    auto after = now ? shared(*now) : nullptr;
    return meter_.update(kKey, std::exchange(job_, after), after, by_spec, at(second));
  }
  bool see(const std::optional<MiniCluster>& now) {
    auto after = now ? shared(*now) : nullptr;
    return meter_.update(kKey, std::exchange(cluster_, after), after);
  }
  void see(const std::optional<Pod>& before, const std::optional<Pod>& after, std::int64_t second) {
    meter_.update(kKey, "job", before ? &*before : nullptr, after ? &*after : nullptr, at(second));
  }
  std::vector<EndedRun> take(std::int64_t second) {
    return meter_.take(kKey, cluster_, at(second));
  }

  Meter meter_;

 private:
  Shared<Job> job_;
  Shared<MiniCluster> cluster_;
};

class MeterTest : public testing::Test, protected Seen {};

TEST_F(MeterTest, PodsCountFromTheirNodeToTheirEnd) {
  see(cluster());
  see(job(), 0);
  see({}, pod(0, 10), 10);
  see({}, pod(1, 30), 30);
  EXPECT_TRUE(take(60).empty()) << "it runs";
  see(pod(0, 10), ended(pod(0, 10), 100), 101);
  see(pod(1, 30), {}, 120);
  EXPECT_TRUE(see(complete(job(), 121), 121));
  EXPECT_TRUE(take(121).empty()) << "the MiniCluster has not ended yet";
  EXPECT_TRUE(see(finished(cluster(), 122)));
  const auto found = take(123);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pod_seconds, 90 + 90);
  EXPECT_EQ(found[0].placed, at(30)) << "both have nodes";
  EXPECT_EQ(found[0].end, at(122));
  EXPECT_FALSE(found[0].gone);
  EXPECT_FALSE(found[0].may_be_there);
}

// Kubernetes makes such a pod Failed, and leaves the states of its containers as the kubelet knew
// them.
TEST_F(MeterTest, PodsWhoseNodeIsGoneCountUntilTheyAreFailed) {
  see(cluster());
  see(job(), 0);
  Pod running = pod(0, 10);
  running.init_containers.emplace_back().ended.emplace().finished = at(12);
  running.containers.emplace_back().runs = true;
  Pod restarted = pod(1, 10);
  restarted.containers.emplace_back().ended.emplace().finished = at(20);
  restarted.containers.back().was_restarted = true;
  see({}, running, 10);
  see({}, restarted, 10);
  for (Pod* const one : {&running, &restarted}) {
    const Pod before = *one;
    one->phase = PodPhase::Failed;
    see(before, *one, 510);
  }
  see(complete(job(), 600), 600);
  see(finished(cluster(), 600));
  const auto found = take(600);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pod_seconds, 500 + 500);
}

TEST_F(MeterTest, ARunIsTakenOnce) {
  see(finished(cluster(), 9));
  EXPECT_TRUE(see(complete(job(), 9), 9));
  EXPECT_EQ(take(9).size(), 1U);
  EXPECT_TRUE(take(9).empty());
  EXPECT_FALSE(see(complete(job(), 9), 10)) << "a change of a Job that has ended";
  EXPECT_FALSE(see(std::optional<Job>(), 11)) << "its deletion";
  EXPECT_TRUE(take(11).empty());
  EXPECT_EQ(meter_.size(), 0U);
}

TEST_F(MeterTest, PodsThatAreGoneWithTheirMiniClusterCountUntilTheirJobIsGone) {
  see(cluster());
  see(job(), 0);
  see({}, pod(0, 5), 5);
  see({}, pod(1, 5), 5);
  EXPECT_FALSE(see(std::optional<MiniCluster>())) << "its Job is still there";
  EXPECT_TRUE(see(std::optional<Job>(), 45));
  const auto found = take(50);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pod_seconds, 80);
  EXPECT_EQ(found[0].gone, at(45));
  ASSERT_TRUE(found[0].cluster) << "as it was seen last";
  see(pod(0, 5), {}, 60);
  see(pod(1, 5), {}, 60);
  EXPECT_EQ(meter_.size(), 0U) << "nothing is left";
}

TEST_F(MeterTest, PodsThatOutliveTheirRunLeaveNothingBehindWhileAnotherOfItsNameRuns) {
  see(job(), 0);
  for (int i = 0; i < 3; ++i) see({}, pod(i, 5), 5);
  see(std::optional<Job>(job("another")), 45);
  EXPECT_EQ(take(45).at(0).pod_seconds, 120);
  for (int i = 0; i < 3; ++i) see(pod(i, 5), ended(pod(i, 5), 60), 60);
  for (int i = 0; i < 3; ++i) see(ended(pod(i, 5), 60), {}, 70);
  see(std::optional<Job>(), 100);
  EXPECT_EQ(take(100).size(), 1U) << "the other one";
  EXPECT_EQ(meter_.size(), 0U);
}

TEST_F(MeterTest, OneThatNeverStartedUsedNothing) {
  see(cluster());
  see(suspended(job()), 0);
  see(std::optional<Job>(), 45);
  EXPECT_TRUE(take(50).empty());
  EXPECT_EQ(meter_.size(), 0U);
}

TEST_F(MeterTest, OneThatWaitedForNodesIsARun) {
  see(cluster());
  see(job(), 0);
  see({}, pod(0, 5), 5);
  see(std::optional<Job>(), 45);
  const auto found = take(50);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].placed) << "only one of two";
  EXPECT_EQ(found[0].pod_seconds, 40);
}

TEST_F(MeterTest, TheQuorumIsWhatTheCommandNeeds) {
  Job elastic = job();
  elastic.notes.quorum = "1";
  see(elastic, 0);
  see({}, pod(0, 5), 5);
  see({}, pod(1, 500), 500);
  see(complete(elastic, 600), 600);
  EXPECT_EQ(take(600).at(0).placed, at(5));
}

TEST_F(MeterTest, SuspensionsAfterTheStartArePreemptionsUnlessTheSpecAskedForThem) {
  see(cluster());
  see(suspended(job()), 0);
  see(job(), 10);
  see(suspended(job()), 20);
  see(job(), 30);
  see(suspended(job()), 40, true);
  see(job(), 50);
  see(finished(cluster(), 60));
  see(complete(job(), 60), 60);
  EXPECT_EQ(take(60).at(0).preemptions, 1);
}

// It starts at 0, 100 and 200, with one pod for 50 s each time, and ends at 250. It is preempted
// twice; the first time, its pod has to end jobs.
TEST_F(MeterTest, WhatPreemptionsLostDependsOnTheCheckpoint) {
  const auto lost = [](bool has_checkpoint) {
    Seen story;
    MiniCluster of = cluster();
    of.has_checkpoint = has_checkpoint;
    story.see(of);
    for (const int start : {0, 100, 200}) {
      story.see(job(), start);
      story.see({}, pod(0, start), start);
      if (start < 200) story.see(suspended(job()), start + 40);
      Pod over = ended(pod(0, start), start + 50);
      if (start == 0) over.containers.at(0).ended->outlived = "f1 (lmp)";
      story.see(pod(0, start), over, start + 50);
      story.see(over, {}, start + 51);
    }
    MiniCluster end = finished(cluster(), 250);
    end.has_checkpoint = has_checkpoint;
    story.see(end);
    story.see(complete(job(), 250), 250);
    return story.take(250).at(0).lost_pod_seconds;
  };
  EXPECT_EQ(lost(false), 100);
  EXPECT_EQ(lost(true), 50);
}

TEST_F(MeterTest, AJobThatWasMadeToGiveUpIsOverOnceItsPodsAre) {
  Job given_up = suspended(job());
  given_up.notes.end = R"({"type": "Failed", "reason": "CommandFailed", "message": "7"})";
  given_up.terminating = 1;
  EXPECT_FALSE(is_over(given_up));
  given_up.terminating = 0;
  EXPECT_TRUE(is_over(given_up));
  EXPECT_FALSE(is_over(suspended(job()))) << "it may go on";
  EXPECT_FALSE(is_over(job()));
}

TEST_F(MeterTest, AJobThatTakesThePlaceOfOneThatIsGoneIsAnotherRun) {
  see(cluster());
  see(job(), 0);
  see({}, pod(0, 5), 5);
  see(std::optional<Job>(job("another")), 45);
  const auto first = take(45);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].job->metadata.uid, "job");
  see(finished(cluster(), 60));
  EXPECT_TRUE(see(complete(job("another"), 60), 60));
  const auto second = take(60);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].job->metadata.uid, "another");
  EXPECT_EQ(second[0].pod_seconds, 0);
}

TEST_F(MeterTest, WhatEndedBeforeAProcessLedMayHaveBeenRecorded) {
  see(finished(cluster(), 9));
  see(complete(job(), 9), 9);
  EXPECT_EQ(meter_.lead(), std::vector<std::string>{kKey});
  EXPECT_TRUE(take(9).at(0).may_be_there);
}

TEST_F(MeterTest, WhatRunsWhenAProcessBeginsToLeadIsItsOwnToRecord) {
  see(cluster());
  see(job(), 0);
  EXPECT_TRUE(meter_.lead().empty());
  see(std::optional<Job>(), 5);
  EXPECT_FALSE(take(9).at(0).may_be_there);
}

TEST_F(MeterTest, PodsOfBeforeTheProcessCountFromTheirNode) {
  see({}, ended(pod(0, 10), 100), 5000);
  see({}, pod(1, 10), 5000);
  see(job(), 5000);
  see(std::optional<Job>(), 5010);
  EXPECT_EQ(take(5010).at(0).pod_seconds, 90 + 5000);
}

TEST_F(MeterTest, ThePodOfAClockThatIsBehindIsNotOlderThanItself) {
  see(job(), 0);
  see({}, pod(0, -1000), 5);
  see(std::optional<Job>(), 10);
  EXPECT_EQ(take(10).at(0).pod_seconds, 10);
}

TEST_F(MeterTest, AProcessThatDoesNotLeadKeepsTheLastThatAreGone) {
  for (int i = 0; i < 5000; ++i) {
    const std::string key = "lab/mc-" + std::to_string(i);
    meter_.update(key, nullptr, shared(job(key)), false, at(i));
    meter_.update(key, shared(job(key)), nullptr, false, at(i));
  }
  EXPECT_EQ(meter_.size(), 2000U);
}

}  // namespace
}  // namespace mc::controller::accounts
