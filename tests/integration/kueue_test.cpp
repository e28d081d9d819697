#include "tests/integration/kueue_story.h"

// MiniClusters in the queues of a real Kueue: what a user reads of why one waits.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST_F(KueueStory, AQueueThatIsNotThereIsNamed) {
  create(queued("lost", 2, "nowhere"));
  EXPECT_EQ(says("lost", "Queued", "Inadmissible"), "LocalQueue nowhere doesn't exist");
  EXPECT_EQ(condition(kubectl, "lost", "Suspended", "True"), "LocalQueue nowhere doesn't exist");
  ASSERT_TRUE(eventually([&] {
    return kubectl.must({"get", "events", "--field-selector=reason=Inadmissible", "-o",
                         "jsonpath={.items[*].involvedObject.kind} {.items[*].type}"}) ==
           "MiniCluster Normal";
  }));
}

TEST_F(KueueStory, ARequestThatCanNeverFitAndOneThatWaitsForRoomAreToldApart) {
  make_queue(4);
  create(queued("large", 8));
  EXPECT_THAT(says("large", "Queued", "Pending"),
              HasSubstr("current podset request (8) > maximum capacity (4)"));
  create(queued("first", 3));
  says("first", "Running", "QuorumReached");
  create(queued("second", 2));
  EXPECT_THAT(says("second", "Queued", "Pending"),
              HasSubstr("insufficient unused quota for cpu in flavor default, 1 more needed"));
  end_lead("first", 0);
  says("second", "Running", "QuorumReached");
  EXPECT_EQ(condition(kubectl, "second", "Suspended", "False"), "The Job may have pods.");
}

TEST_F(KueueStory, AStoppedQueueIsNamedAndADrainedMiniClusterSaysWhy) {
  make_queue(4);
  create(queued("runs", 2));
  says("runs", "Running", "QuorumReached");
  stop_queue("Hold");
  create(queued("waits", 2));
  EXPECT_THAT(says("waits", "Queued", "Inadmissible"),
              MatchesRegex("ClusterQueue " + queue() + " is (inactive|stopped)"));
  EXPECT_EQ(status("runs")["phase"], "Running") << "Hold leaves what runs alone";
  stop_queue("HoldAndDrain");
  EXPECT_THAT(says("runs", "Queued", "ClusterQueueStopped"),
              StartsWith("The ClusterQueue is stopped"));
  stop_queue("None");
  says("runs", "Running", "QuorumReached");
  says("waits", "Running", "QuorumReached");
}

TEST_F(KueueStory, APreemptedMiniClusterSaysSoAndRunsAgainWhenThereIsRoom) {
  const std::string urgent = queue() + "-urgent";
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "WorkloadPriorityClass"},
          {"metadata", {{"name", urgent}}},
          {"value", 1000}});
  make_queue(2, {{"preemption", {{"withinClusterQueue", "LowerPriority"}}}});
  create(queued("patient", 2));
  says("patient", "Running", "QuorumReached");
  json object = queued("urgent", 2);
  object["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = urgent;
  create(object);
  EXPECT_THAT(says("patient", "Queued", "Preempted"),
              StartsWith("Preempted to accommodate a workload"));
  says("urgent", "Running", "QuorumReached");
  end_lead("urgent", 0);
  says("patient", "Running", "QuorumReached");
}

// Most of it is the half minute after which the controller looks for Kueue again.
TEST_F(KueueStory, KueueMayGoAndComeBackWhileTheControllerRuns) {
  create(queued("held", 2, "nowhere"));
  says("held", "Queued", "Inadmissible");
  kueue_.reset();
  EXPECT_EQ(says("held", "Suspended", "Suspended"), "The Job is suspended and has no pods.");
  EXPECT_EQ(
      condition(kubectl, "held", "Suspended", "True"),
      "The Job is suspended by another, as a queueing system does until there is room; it has "
      "no pods.");
  const double before = calls();
  kueue_ = std::make_unique<KueueController>(Stage::get().kubectl());
  says("held", "Queued", "Inadmissible", std::chrono::seconds(60));
  EXPECT_LE(calls() - before, 12) << "it does not look for Kueue all the time";
}

}  // namespace
}  // namespace mc::test
