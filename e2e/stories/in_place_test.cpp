#include <iostream>
#include <string>
#include <vector>

#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"

// spec.restartStrategy InPlace, with real Flux and the kubelet of Kubernetes 1.36 or newer
// (e2e/run.sh leaves these stories out with an older one): a command whose follower or broker is
// lost runs again in the pod of its lead.
namespace mc::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class RealFluxInPlace : public PodStory {
 protected:
  // Each start and end of the lead's container writes a line with the hundredths of a second since
  // the node's start to NAME-starts and NAME-ends.
  void start(const std::string& name, const std::string& command, Flux flux) const {
    json cluster =
        minicluster(name, 2, command, {{"tasks", 2}, {"restartStrategy", "InPlace"}}, flux);
    container(cluster)["volumes"]["marks"] = marks_.volume("/marks");
    container(cluster)["commands"]["brokerPre"] = "mark starts";
    container(cluster)["commands"]["init"] =
        "mark() { read -r up rest </proc/uptime; [ \"${JOB_COMPLETION_INDEX:-}\" != 0 ] || echo "
        "${up%.*}${up#*.} >>/marks/" +
        name + "-$1; }";
    container(cluster)["commands"]["post"] = "mark ends";
    apply(cluster);
  }

  std::vector<std::string> marks(const std::string& what) const {
    return test::lines_of(test::text_of(marks_.path() / what));
  }

  // The messages of the events that tell of a pod's failure.
  std::vector<std::string> troubles(const std::string& name) const {
    std::vector<std::string> out;
    for (const json& event : kubectl.items(
             {"events", "--field-selector",
              "reason=PodFailing,involvedObject.kind=MiniCluster,involvedObject.name=" + name})) {
      out.push_back(event.at("message"));
      std::cout << out.back() << std::endl;
    }
    return out;
  }

  static int restarts(const json& pod) {
    return pod.at("/status/containerStatuses/0/restartCount"_json_pointer);
  }

  // Kills a broker, and expects the command to run again and to succeed in the same pod.
  void runs_again_in_its_pod(const std::string& name, int index, Flux flux) const {
    start(name, sh(lost_once(name)), flux);
    ASSERT_TRUE(wait_to_be_lost(name, marks_)) << everything();
    const json before = pod(name, 0);
    exec(name, index, kKillBroker);
    ASSERT_TRUE(reaches(name, "Complete", 120s));
    const json after = pod(name, 0);
    EXPECT_EQ(after.at("metadata").at("uid"), before.at("metadata").at("uid"));
    EXPECT_EQ(after.at("status").at("podIP"), before.at("status").at("podIP"));
    EXPECT_EQ(restarts(after), 1);
    EXPECT_THAT(log(name, 0), HasSubstr("the second time"));
    EXPECT_THAT(troubles(name), ElementsAre(HasSubstr("restarts in place")));
    ASSERT_THAT(marks(name + "-starts"), SizeIs(2));
    const double seconds =
        (std::stod(marks(name + "-starts")[1]) - std::stod(marks(name + "-ends")[0])) / 100;
    std::cout << name << ": the next try started " << seconds << " s after the end of the last one"
              << std::endl;
    EXPECT_THAT(seconds, Le(5));
  }

 private:
  const NodeFolder marks_;
};

TEST_F(RealFluxInPlace, ACommandThatLostAFollowerRunsAgainInThePodOfItsLead) {
  runs_again_in_its_pod("follower", 1, Flux::kInImage);
}

TEST_F(RealFluxInPlace, ACommandThatLostItsBrokerRunsAgainInItsPodAlsoWithAView) {
  runs_again_in_its_pod("lead", 0, Flux::kByView);
}

TEST_F(RealFluxInPlace, AfterThreeRestartsThePodFailsAndTheJobCountsIt) {
  start("often",
        sh("[ $FLUX_TASK_RANK = 0 ] || sleep 600" + std::string(kKillBroker) + "\nsleep 600"),
        Flux::kInImage);
  ASSERT_TRUE(test::eventually([&] { return marks("often-ends").size() == 4; }, 120s))
      << everything();
  EXPECT_EQ(restarts(pod("often", 0)), 3);
  EXPECT_TRUE(test::eventually(
      [&] { return kubectl.get({"job", "often"}).value("/status/failed"_json_pointer, 0) == 1; }));
}

}  // namespace
}  // namespace mc::e2e
