#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/gang_story.h"
#include "tests/support/plugin.h"

// Gang scheduling by PodGroups of scheduling.k8s.io, with the API server, the scheduler and the Job
// controller of a Kubernetes that has them, on simulated nodes. Run by tests/schedulers.sh.
namespace mc::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPods = "batch.kubernetes.io/job-name";

class Gang : public GangStory {
 protected:
  static void SetUpTestSuite() { set_up(4, 1); }

  std::string gang_of(const std::string& name) {
    const json list = value_at(kubectl.get({"minicluster", name}), "/status/conditions", json());
    for (const json& entry : list) {
      if (entry["type"] == "GangScheduled") {
        return entry["status"].get<std::string>() + " " + entry["reason"].get<std::string>() +
               ": " + entry["message"].get<std::string>();
      }
    }
    return "";
  }

  // MiniCluster -> its pods that have a node.
  std::map<std::string, int> placed() {
    std::map<std::string, int> out;
    for (const json& pod : kubectl.items({"pods"})) {
      const bool over = pod["status"]["phase"] == "Succeeded" || pod["status"]["phase"] == "Failed";
      if (!over && pod["spec"].contains("nodeName")) ++out[pod["metadata"]["labels"][kPods]];
    }
    return out;
  }

  std::vector<std::string> groups() {
    return lines_of(kubectl.must({"get", "podgroups.scheduling.k8s.io", "-o", "name"}));
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
  EXPECT_EQ(gang_of(first), "True Scheduled: The scheduler has placed at least 3 pods together.");
  ASSERT_TRUE(eventually([&] { return gang_of(second).starts_with("False Unschedulable: "); }))
      << gang_of(second) << kubectl({"get", "podgroups", "-o", "yaml"}).out;
  std::cout << "[ measured ] " << gang_of(second) << "\n";
  EXPECT_EQ(placed().count(second), 0) << "all or nothing";
  const std::string page = Plugin(kubectl)({"explain", second}).out;
  EXPECT_THAT(page, AllOf(HasSubstr("GangScheduled is false, Unschedulable"),
                          HasSubstr("Pods without a node:\n"
                                    "  0 of 3 pods have a node, and the command needs 3.\n"),
                          HasSubstr("\n    Waits until there is room for all"),
                          HasSubstr("\n    Unschedulable: 0/4 nodes are available: ")));
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
  EXPECT_FALSE(kubectl.get({"job", "off"})["spec"]["template"]["spec"].contains("schedulingGroup"));
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

TEST_F(Gang, EachStartHasAPodGroupOfItsOwn) {
  create(in_slots("again", 3));
  ASSERT_TRUE(run("again", 3));
  const std::string uid =
      kubectl.must({"get", "podgroup", "again", "-o", "jsonpath={.metadata.uid}"});
  suspend("again", true);
  ASSERT_TRUE(eventually([&] { return groups().empty() && placed().empty(); }));
  EXPECT_THAT(gang_of("again"), HasSubstr("False Suspended"));
  suspend("again", false);
  ASSERT_TRUE(run("again", 3));
  EXPECT_NE(kubectl.must({"get", "podgroup", "again", "-o", "jsonpath={.metadata.uid}"}), uid);
  ASSERT_TRUE(eventually([&] { return gang_of("again").starts_with("True Scheduled"); }));
  kubectl.must({"delete", "minicluster", "again"});
  EXPECT_TRUE(eventually([&] { return groups().empty(); })) << "nor does a deletion";
}

TEST_F(Gang, AResizeMovesMinCount) {
  create(in_slots("resized", 3, {{"maxSize", 4}}));
  ASSERT_TRUE(run("resized", 3));
  scale("resized", 2);
  ASSERT_TRUE(run("resized", 2));
  EXPECT_TRUE(eventually([&] {
    return kubectl.must({"get", "podgroup", "resized", "-o",
                         "jsonpath={.spec.schedulingPolicy.gang.minCount}"}) == "2";
  })) << kubectl({"get", "podgroup", "resized", "-o", "yaml"}).out;
  scale("resized", 4);
  ASSERT_TRUE(run("resized", 4));
  end_lead("resized", 0);
  wait("resized", "Complete");
}

}  // namespace
}  // namespace mc::test
