#include <filesystem>
#include <iostream>
#include <map>

#include "e2e/stories/pod_story.h"

// A pod or broker that is lost while the command runs, with real Flux: the command is tried again,
// and succeeds the second time. All of them run at once; each story loses one.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

// What each task does: the first time it waits to be lost, the second time it succeeds.
std::string task(const std::string& name) {
  const std::string mark = "/marks/" + name + "-$FLUX_TASK_RANK";
  return "if [ -e " + mark + " ]; then echo the second time; else touch " + mark +
         "; sleep 300; fi";
}

constexpr const char* kKillBroker = R"(
  for p in /proc/[0-9]*; do
    case $(cat $p/comm 2>/dev/null) in flux-broker*) kill -9 ${p#/proc/} ;; esac
  done)";

class RealFluxLosses : public PodStory {
 protected:
  RealFluxLosses() : PodStory(*shared_) {}

  static void SetUpTestSuite() {
    shared_.emplace();
    marks_.emplace(shared_->kubectl().namespace_name());
    for (const std::string name :
         {"broker", "evicted", "drained", "deleted", "lead", "leads-broker"}) {
      start(minicluster(name, 2, sh(task(name)), {{"tasks", 2}}, Flux::kInImage));
    }
    // The code of a launcher is its own, whatever it makes of the loss.
    json launcher = minicluster("launcher", 2, "", json::object(), Flux::kInImage);
    container(launcher)["launcher"] = true;
    container(launcher)["commands"]["script"] =
        "flux run -N2 " + sh(task("launcher")) + " || exit 5\n";
    start(std::move(launcher));
  }
  static void start(json cluster) {
    container(cluster)["volumes"]["marks"] = marks_->volume("/marks");
    shared_->kubectl().must({"apply", "-f", "-"}, cluster.dump());
  }
  static void TearDownTestSuite() {
    shared_.reset();
    marks_.reset();
  }

  // Both of its tasks wait.
  [[nodiscard]] bool runs(const std::string& name) const {
    const bool found = test::eventually(
        [&] {
          return std::filesystem::exists(marks_->path() / (name + "-0")) &&
                 std::filesystem::exists(marks_->path() / (name + "-1"));
        },
        60s);
    EXPECT_TRUE(found) << everything();
    return found;
  }

  void succeeds(const std::string& name) const {
    const StopWatch watch;
    ASSERT_TRUE(reaches(name, "Complete", 90s));
    std::cout << "lost (" << name << "), and done " << watch.seconds() << " s later" << std::endl;
    EXPECT_THAT(log(name, 0), HasSubstr("the second time"));
  }

  inline static std::optional<SharedNamespace> shared_;
  inline static std::optional<NodeFolder> marks_;
};

TEST_F(RealFluxLosses, FollowersKilledBrokerIsNoEndOfTheCommand) {
  ASSERT_TRUE(runs("broker"));
  exec("broker", 1, kKillBroker);
  succeeds("broker");
}

TEST_F(RealFluxLosses, FollowersKilledBrokerIsNoEndOfALauncherEither) {
  ASSERT_TRUE(runs("launcher"));
  exec("launcher", 1, kKillBroker);
  succeeds("launcher");
}

TEST_F(RealFluxLosses, EvictedFollowerIsNoEndOfTheCommand) {
  ASSERT_TRUE(runs("evicted"));
  evict(pod_name("evicted", 1));
  succeeds("evicted");
}

TEST_F(RealFluxLosses, DrainedFollowerIsNoEndOfTheCommand) {
  ASSERT_TRUE(runs("drained"));
  kubectl.must({"drain", "node0", "--delete-emptydir-data",
                "--pod-selector=job-name=drained,batch.kubernetes.io/job-completion-index=1"});
  kubectl.must({"uncordon", "node0"});
  succeeds("drained");
}

TEST_F(RealFluxLosses, DeletedFollowerIsNoEndOfTheCommand) {
  ASSERT_TRUE(runs("deleted"));
  kubectl.must({"delete", "pod", pod_name("deleted", 1), "--wait=false"});
  succeeds("deleted");
}

TEST_F(RealFluxLosses, LeadKilledWithItsPodIsNoEndOfTheCommand) {
  ASSERT_TRUE(runs("lead"));
  kubectl.must({"delete", "pod", pod_name("lead", 0), "--grace-period=0", "--force"});
  succeeds("lead");
}

TEST_F(RealFluxLosses, LeadsKilledBrokerIsNoEndOfTheCommand) {
  ASSERT_TRUE(runs("leads-broker"));
  exec("leads-broker", 0, kKillBroker);
  succeeds("leads-broker");
}

}  // namespace
}  // namespace mc::e2e
