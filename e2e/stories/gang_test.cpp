#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "e2e/stories/pod_story.h"
#include "tests/support/pods.h"

// Real Flux in pods that kube-scheduler places in PodGroups of scheduling.k8s.io, all or none
// (`make test-schedulers kinds=node`). The node has four slots, and each pod takes one.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr const char* kSlot = "example.com/slot";
constexpr const char* kSlotPath = "/status/capacity/example.com~1slot";

class RealFluxGang : public PodStory {
 protected:
  static void SetUpTestSuite() { set_slots({{"op", "add"}, {"path", kSlotPath}, {"value", "4"}}); }
  static void TearDownTestSuite() { set_slots({{"op", "remove"}, {"path", kSlotPath}}); }

  static void set_slots(const json& change) {
    test::Kubectl::from_environment().must({"patch", "node", "node0", "--subresource=status",
                                            "--type=json", "-p", json::array({change}).dump()});
  }

  static json in_slots(const std::string& name, int size, const std::string& command,
                       const json& spec = json::object()) {
    json out = minicluster(name, size, command, spec, Flux::kInImage);
    container(out)["resources"] = {{"limits", {{kSlot, 1}}}};
    return out;
  }

  std::map<std::string, int> placed() const { return test::placed_pods(kubectl); }

  json group(const std::string& name) const {
    return kubectl.get({"podgroups.scheduling.k8s.io", name});
  }
  [[nodiscard]] bool no_group_is_left() const {
    return test::eventually([&] { return kubectl.items({"podgroups.scheduling.k8s.io"}).empty(); },
                            30s);
  }

  // Runs a job on that many brokers.
  void run_on(const std::string& name, int brokers) const {
    const std::string count = std::to_string(brokers);
    flux_answers(name, "echo tasks: $(flux run -N" + count + " echo ran | wc -l)",
                 "tasks: " + count + "\n");
  }
};

TEST_F(RealFluxGang, TwoThatDoNotFitTogetherRunTheirCommandsOneAfterTheOther) {
  const NodeFolder marks;
  for (const std::string name : {"one", "two"}) {
    json cluster = in_slots(
        name, 3,
        sh("until [ -e /marks/" + name + " ]; do sleep 0.1; done; echo task $FLUX_TASK_RANK"),
        {{"tasks", 3}});
    container(cluster)["volumes"]["marks"] = marks.volume("/marks");
    apply(cluster);
  }
  ASSERT_TRUE(test::eventually([&] { return placed().size() == 1; }, 60s)) << everything();
  const std::string first = placed().begin()->first, second = first == "one" ? "two" : "one";
  ASSERT_TRUE(reaches(first, "Ready"));
  EXPECT_EQ(group(first).at("/spec/schedulingPolicy/gang/minCount"_json_pointer), 3);
  for (const json& pod : kubectl.items({"pods", "-l", "job-name=" + first})) {
    EXPECT_EQ(pod.at("/spec/schedulingGroup/podGroupName"_json_pointer), first);
  }
  EXPECT_TRUE(test::eventually(
      [&] { return reason(second, "GangScheduled").starts_with("Unschedulable: "); }, 30s))
      << reason(second, "GangScheduled") << everything();
  EXPECT_EQ(placed().count(second), 0U) << "all or nothing" << everything();
  for (const std::string& name : {first, second}) {
    std::ofstream(marks.path() / name).close();
    ASSERT_TRUE(reaches(name, "Complete", 90s));
    for (const char* line : {"task 0\n", "task 1\n", "task 2\n"}) {
      EXPECT_THAT(log(name, 0), HasSubstr(line));
    }
  }
  EXPECT_TRUE(no_group_is_left());
}

// The group has been scheduled, so the scheduler places the next pod of it alone.
TEST_F(RealFluxGang, APodThatIsLostComesBackAndTheCommandRunsAgain) {
  const NodeFolder marks;
  json cluster = in_slots("lost", 3, sh(lost_once("lost")), {{"tasks", 3}});
  container(cluster)["volumes"]["marks"] = marks.volume("/marks");
  apply(cluster);
  ASSERT_TRUE(
      test::eventually([&] { return std::filesystem::exists(marks.path() / "lost-2"); }, 90s))
      << everything();
  const std::string lost = pod_name("lost", 2);
  kubectl.must({"delete", "pod", lost, "--grace-period=0", "--force"});
  ASSERT_TRUE(reaches("lost", "Complete", 180s));
  EXPECT_THAT(log("lost", 0), HasSubstr("the second time"));
  EXPECT_NE(pod_name("lost", 2), lost);
  EXPECT_TRUE(no_group_is_left());
}

TEST_F(RealFluxGang, ASuspensionEndsTheGroupAndTheNextStartHasOneAgain) {
  apply(in_slots("again", 2, "", {{"interactive", true}}));
  ASSERT_TRUE(reaches("again", "Ready"));
  run_on("again", 2);
  const std::string uid = group("again").at("metadata").at("uid");
  const std::vector<std::string> pods = {pod_name("again", 0), pod_name("again", 1)};
  kubectl.patch("minicluster", "again", {{"spec", {{"suspend", true}}}});
  ASSERT_TRUE(gone(pods));
  EXPECT_TRUE(no_group_is_left());
  kubectl.patch("minicluster", "again", {{"spec", {{"suspend", false}}}});
  ASSERT_TRUE(reaches("again", "Ready"));
  EXPECT_NE(group("again").at("metadata").at("uid"), uid);
  EXPECT_THAT(reason("again", "GangScheduled"), StartsWith("Scheduled: "));
  run_on("again", 2);
  kubectl.must({"delete", "minicluster", "again"});
  EXPECT_TRUE(no_group_is_left());
}

// Its brokers keep the quorum that they were given, unless there are fewer.
TEST_F(RealFluxGang, AResizeMovesTheInstanceAndTheGroupOnceItIsSmallerThanItsQuorum) {
  apply(in_slots("elastic", 3, "", {{"interactive", true}, {"maxSize", 4}}));
  ASSERT_TRUE(reaches("elastic", "Ready"));
  const auto resize = [&](int size, int min_count) {
    kubectl.must({"scale", "minicluster", "elastic", "--replicas=" + std::to_string(size)});
    EXPECT_TRUE(test::eventually([&] { return placed()["elastic"] == size; }, 60s)) << everything();
    EXPECT_TRUE(test::eventually([&] {
      return group("elastic").at("/spec/schedulingPolicy/gang/minCount"_json_pointer) == min_count;
    })) << group("elastic").dump(2);
    run_on("elastic", size);
  };
  resize(4, 3);
  resize(2, 2);
}

}  // namespace
}  // namespace mc::e2e
