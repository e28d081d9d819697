#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/gang_story.h"
#include "tests/support/plugin.h"
#include "tests/support/pods.h"

// Gang scheduling by PodGroups, with a real API server, Job controller and a scheduler that knows
// them (gang_kind()), on simulated nodes. Run by tests/schedulers.sh.
namespace mc::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPods = "batch.kubernetes.io/job-name";

class Gang : public GangStory {
 protected:
  static void SetUpTestSuite() { set_up(4, 1); }

  std::map<std::string, int> placed() { return placed_pods(kubectl); }

  std::string uid_of_group(const std::string& name) {
    return value_at(group(name), "/metadata/uid", std::string());
  }

  // Waits until no pod of the namespace is left that has not ended.
  [[nodiscard]] bool none_is_left() {
    return eventually([&] { return std::ranges::all_of(kubectl.items({"pods"}), has_ended); });
  }
};

TEST_F(Gang, TwoThatDoNotFitTogetherRunOneAfterTheOther) {
  create(in_slots("one", 3));
  create(in_slots("two", 3));
  ASSERT_TRUE(eventually([&] {
    const auto there = placed();
    return there.size() == 1 && there.begin()->second == 3;
  })) << kubectl({"get", "pods", "-o", "wide"}).out;
  const std::string first = placed().begin()->first, second = first == "one" ? "two" : "one";
  wait(first, "Ready");
  EXPECT_TRUE(eventually([&] { return gang_of(first).starts_with("True Scheduled: "); }))
      << gang_of(first);
  EXPECT_EQ(gang_kind().min_count(group(first)), 3);
  for (const json& pod : kubectl.items({"pods"})) {
    EXPECT_EQ(gang_kind().group_of(pod), pod["metadata"]["labels"][kPods].get<std::string>());
    if (!gang_kind().is_native()) {
      EXPECT_EQ(pod["spec"]["schedulerName"], gang_kind().scheduler_name);
    }
  }
  ASSERT_TRUE(eventually([&] { return gang_of(second).starts_with("False Unschedulable: "); }))
      << gang_of(second) << group(second).dump(2);
  measured(gang_of(second));
  EXPECT_EQ(placed().count(second), 0) << "all or nothing";
  const std::string page = Plugin(kubectl)({"explain", second}).out;
  EXPECT_THAT(page, AllOf(HasSubstr("GangScheduled is false, Unschedulable"),
                          HasSubstr("Pods without a node:\n"
                                    "  0 of 3 pods have a node, and the command needs 3.\n")));
  if (gang_kind().is_native()) {
    // 1.36 says of a pod something else than of its group.
    const char* of_the_rest = gang_kind().is_resizable
                                  ? "\n    Waits until there is room for all"
                                  : ", waiting for minCount pods from a gang to be scheduled";
    EXPECT_THAT(page, AllOf(HasSubstr(of_the_rest),
                            HasSubstr("\n    Unschedulable: 0/4 nodes are available: ")));
  }
  EXPECT_EQ(counted("minicluster_time_to_bind_seconds_count"), 1);
  EXPECT_EQ(counted("minicluster_bound_in_part"), 0);
  end_lead(first, 0);
  wait(first, "Complete");
  ASSERT_TRUE(run(second, 3));
  end_lead(second, 0);
  wait(second, "Complete");
  EXPECT_TRUE(eventually([&] { return groups().empty(); })) << "an end leaves no PodGroup";
}

TEST_F(Gang, ASpecMayTurnItOffAndHasTheObjectsOfBefore) {
  create(in_slots("off", 2, {{"gang", {{"enabled", false}}}}));
  wait("off", "Ready");
  EXPECT_EQ(gang_of("off"), "");
  EXPECT_THAT(groups(), IsEmpty());
  EXPECT_EQ(gang_kind().group_of(kubectl.get({"job", "off"})["spec"]["template"]), "");
  end_lead("off", 0);
  wait("off", "Complete");
}

// On four slots: the first takes 600m of each, and the second 400m.
TEST_F(Gang, WithoutItTwoThatHoldNodesAndWaitForMoreAreToldOfEachOther) {
  const json off = {{"gang", {{"enabled", false}}}};
  const auto in_part = [&](const std::string& name) { return placed()[name] == 4; };
  create(in_slots("large", 5, off, "600m"));
  ASSERT_TRUE(eventually([&] { return in_part("large"); }));
  create(in_slots("small", 5, off, "400m"));
  ASSERT_TRUE(eventually([&] { return in_part("small"); }));
  EXPECT_TRUE(eventually([&] { return counted("minicluster_bound_in_part") == 2; }));
  const auto tells_of = [&](const std::string& name, const std::string& other) {
    return condition(kubectl, name, "Ready", "False")
        .value_or("")
        .contains(" MiniCluster " + kubectl.namespace_name() + "/" + other + " also has nodes");
  };
  EXPECT_TRUE(eventually([&] { return tells_of("large", "small") && tells_of("small", "large"); },
                         seconds(90)))
      << kubectl({"get", "miniclusters", "-o", "yaml"}).out;
  suspend("large", true);
  wait("small", "Ready");
  EXPECT_EQ(counted("minicluster_bound_in_part"), 0);
  end_lead("small", 0);
  wait("small", "Complete");
}

TEST_F(Gang, ASchedulerNameChoosesTheKind) {
  if (gang_kind().is_native()) {
    create(in_slots("another", 2, {{"pod", {{"schedulerName", "of-nobody"}}}}));
    ASSERT_TRUE(eventually([&] { return kubectl.items({"pods"}).size() == 2; }));
    EXPECT_THAT(groups(), IsEmpty());
    return;
  }
  create(in_slots("chosen", 2, {{"pod", {{"schedulerName", gang_kind().scheduler_name}}}}));
  ASSERT_TRUE(run("chosen", 2));
  EXPECT_THAT(groups(), ElementsAre("chosen"));
  EXPECT_EQ(gang_kind().min_count(group("chosen")), 2);
  end_lead("chosen", 0);
  wait("chosen", "Complete");
  EXPECT_TRUE(eventually([&] { return groups().empty(); }));
}

// The condition of a group of scheduling.k8s.io stays True, so each start has a new one.
TEST_F(Gang, ASuspensionEndsThePodsAndTheNextStartIsInAGroupAgain) {
  create(in_slots("again", 3));
  ASSERT_TRUE(run("again", 3));
  const std::string uid = uid_of_group("again");
  ASSERT_NE(uid, "");
  suspend("again", true);
  ASSERT_TRUE(none_is_left());
  EXPECT_TRUE(eventually([&] { return gang_of("again").starts_with("False Suspended"); }))
      << gang_of("again");
  if (gang_kind().is_native()) {
    EXPECT_TRUE(eventually([&] { return groups().empty(); }));
  }
  suspend("again", false);
  ASSERT_TRUE(run("again", 3));
  EXPECT_EQ(uid_of_group("again") == uid, !gang_kind().is_native());
  ASSERT_TRUE(eventually([&] { return gang_of("again").starts_with("True Scheduled"); }))
      << gang_of("again") << group("again").dump(2);
  kubectl.must({"delete", "minicluster", "again"});
  EXPECT_TRUE(eventually([&] { return groups().empty(); })) << "nor does a deletion leave one";
}

// Kubernetes 1.36 lets neither minCount change nor the parallelism of a Job in a PodGroup.
TEST_F(Gang, AResizeMovesMinCountOrTheStatusSaysThatTheApiServerRefusesIt) {
  create(in_slots("resized", 3, {{"maxSize", 4}}));
  ASSERT_TRUE(run("resized", 3));
  if (gang_kind().is_resizable) {
    scale("resized", 2);
    ASSERT_TRUE(run("resized", 2));
    EXPECT_TRUE(eventually([&] { return gang_kind().min_count(group("resized")) == 2; }))
        << group("resized").dump(2);
  } else {
    scale("resized", 4);
    EXPECT_TRUE(eventually([&] {
      return condition(kubectl, "resized", "ObjectsReady", "False")
          .value_or("")
          .contains("cannot change parallelism for a Job referencing gang-scheduled PodGroup");
    })) << status("resized").dump(2);
    scale("resized", 3);
    ASSERT_TRUE(has_condition(kubectl, "resized", "ObjectsReady", "True"));
  }
  end_lead("resized", 0);
  wait("resized", "Complete");
  EXPECT_TRUE(eventually([&] { return groups().empty(); }));
}

}  // namespace
}  // namespace mc::test
