#include <array>
#include <filesystem>
#include <iostream>

#include "e2e/stories/pod_story.h"

// A pod or broker is lost while the command runs, with real Flux: the command runs again and
// succeeds. All MiniClusters run at once and have their losses at once, because the Job creates the
// next pod only 10 s later; each story is about one.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class RealFluxLosses : public PodStory {
 protected:
  RealFluxLosses() : PodStory(*shared_) {}

  static void SetUpTestSuite() {
    shared_.emplace();
    marks_.emplace();
    for (const std::string name :
         {"broker", "evicted", "drained", "deleted", "lead", "leads-broker"}) {
      start(minicluster(name, 2, sh(lost_once(name)), {{"tasks", 2}}, Flux::kInImage));
    }
    // A launcher decides its own exit code after the loss.
    json launcher = minicluster("launcher", 2, "", json::object(), Flux::kInImage);
    container(launcher)["launcher"] = true;
    container(launcher)["commands"]["script"] =
        "flux run -N2 " + sh(lost_once("launcher")) + " || exit 5\n";
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

  // All losses happen before the first story.
  void SetUp() override {
    if (since_) return;
    for (const char* name : kAll)
      ASSERT_TRUE(wait_to_be_lost(name, *marks_)) << name << everything();
    since_.emplace();
    exec("broker", 1, kKillBroker);
    exec("launcher", 1, kKillBroker);
    exec("leads-broker", 0, kKillBroker);
    kubectl.evict(pod_name("evicted", 1));
    kubectl.must({"delete", "pod", pod_name("deleted", 1), "--wait=false"});
    kubectl.must({"delete", "pod", pod_name("lead", 0), "--grace-period=0", "--force"});
    kubectl.must({"drain", "node0", "--delete-emptydir-data",
                  "--pod-selector=job-name=drained,batch.kubernetes.io/job-completion-index=1"});
    kubectl.must({"uncordon", "node0"});
  }

  void succeeds(const std::string& name) const {
    ASSERT_TRUE(reaches(name, "Complete", 300s));
    std::cout << "lost (" << name << "), and done at most " << since_->seconds() << " s later"
              << std::endl;
    EXPECT_THAT(log(name, 0), HasSubstr("the second time"));
  }

  static constexpr std::array kAll = {"broker",  "launcher", "leads-broker", "evicted",
                                      "deleted", "lead",     "drained"};
  inline static std::optional<SharedNamespace> shared_;
  inline static std::optional<NodeFolder> marks_;
  inline static std::optional<test::Stopwatch> since_;
};

TEST_F(RealFluxLosses, FollowersKilledBrokerIsNoEndOfTheCommand) { succeeds("broker"); }

TEST_F(RealFluxLosses, FollowersKilledBrokerIsNoEndOfALauncherEither) { succeeds("launcher"); }

TEST_F(RealFluxLosses, EvictedFollowerIsNoEndOfTheCommand) { succeeds("evicted"); }

TEST_F(RealFluxLosses, DrainedFollowerIsNoEndOfTheCommand) { succeeds("drained"); }

TEST_F(RealFluxLosses, DeletedFollowerIsNoEndOfTheCommand) { succeeds("deleted"); }

TEST_F(RealFluxLosses, LeadKilledWithItsPodIsNoEndOfTheCommand) { succeeds("lead"); }

TEST_F(RealFluxLosses, LeadsKilledBrokerIsNoEndOfTheCommand) { succeeds("leads-broker"); }

}  // namespace
}  // namespace mc::e2e
