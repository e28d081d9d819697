#include <csignal>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/integration/gang_story.h"
#include "tests/integration/pods_and_groups.h"
#include "tests/support/service.h"

// What a controller that is killed, and an API server that restarts, leave of PodGroups
// (gang_test.cpp). Run by tests/schedulers.sh.
namespace mc::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kKills = 30, kRestarts = 4;
constexpr std::pair<int, int> kFewPods{2, 6};

class GangFaults : public GangStory {
 protected:
  static void SetUpTestSuite() {
    set_up(64, 4);
    Stage::get().without_controller();
  }

  static std::unique_ptr<Service> controller() {
    std::vector<std::string> command = {controller_program(), "--kubeconfig",
                                        Stage::get().kubectl().kubeconfig()};
    for (std::string& each : controller_arguments()) command.push_back(std::move(each));
    auto out = std::make_unique<Service>(command);
    EXPECT_TRUE(out->wait_until_ready());
    return out;
  }

  // The names of the PodGroups whose MiniCluster has no Job.
  std::vector<std::string> groups_without_job() {
    std::set<std::string> jobs;
    for (const json& job : kubectl.items({"jobs"})) jobs.insert(job["metadata"]["name"]);
    std::vector<std::string> out = groups();
    std::erase_if(out, [&](const std::string& name) { return jobs.contains(name); });
    return out;
  }

  void expect_all_end_and_leave_no_group(std::size_t count, PodsAndGroups& watched) {
    EXPECT_TRUE(all_end(count, seconds(300))) << ended() << " of " << count;
    EXPECT_TRUE(eventually([&] { return groups().empty(); })) << "no orphan";
    const PodsAndGroups::Seen seen = watched.seen();
    measured(std::to_string(seen.pods) +
             " pods; one named a PodGroup that was not there for at most " +
             in_seconds(seen.longest_missing));
    EXPECT_GE(seen.pods, 2 * count);
    EXPECT_THAT(seen.in_no_group, ::testing::IsEmpty());
    EXPECT_LE(seen.longest_missing, seconds(5)) << seen.missed_by;
  }
};

// Half of the kills are at the moment when a PodGroup appears, which is before its Job is created.
TEST_F(GangFaults, AControllerThatIsKilledAtAnyMomentLeavesNoPodGroupAlone) {
  PodsAndGroups watched(kubectl, gang_kind());
  std::mt19937 random(1);
  std::size_t between = 0, left = 0;
  for (unsigned kill = 0; kill < kKills; ++kill) {
    const int before = watched.groups_so_far();
    const auto one = controller();
    auto making = std::async(std::launch::async, [&] {
      return make_many(2 * static_cast<int>(kill), 2, kFewPods, kill);
    });
    if (kill % 2 == 0) {
      EXPECT_TRUE(watched.another_group(before, seconds(10)));
    } else {
      std::this_thread::sleep_for(milliseconds(random() % 400));
    }
    one->signal(SIGKILL);
    ASSERT_EQ(one->wait(seconds(10)), 128 + SIGKILL);
    const auto made = making.get();
    between += groups_without_job().empty() ? 0 : 1;
    left += made.size();
    if (kill % 5 == 4) {  // while there is no controller
      kubectl.must({"delete", "minicluster", made.begin()->first, "--wait=false"});
      --left;
    }
    end_those_that_run();
  }
  measured(std::to_string(between) + " of " + std::to_string(kKills) +
           " kills left a PodGroup without its Job");
  EXPECT_GT(between, 0);
  const auto last = controller();
  expect_all_end_and_leave_no_group(left, watched);
  last->stop();
}

TEST_F(GangFaults, AnApiServerThatRestartsDuringStartsLeavesNoPodGroupAlone) {
  PodsAndGroups watched(kubectl, gang_kind());
  const auto one = controller();
  for (unsigned restart = 0; restart < kRestarts; ++restart) {
    const int before = watched.groups_so_far();
    make_many(10 * static_cast<int>(restart), 10, kFewPods, restart);
    // A restarted API server serves custom resources some seconds later.
    EXPECT_TRUE(watched.another_group(before, seconds(gang_kind().is_native() ? 10 : 60)));
    must_run({source_dir() / "tests/control_plane/control-plane.sh", "restart",
              kubectl.control_plane(), "kube-apiserver"});
    ASSERT_TRUE(eventually([&] { return kubectl({"get", "--raw", "/readyz"}).out == "ok"; }));
  }
  expect_all_end_and_leave_no_group(10 * std::size_t{kRestarts}, watched);
  one->stop();
}

}  // namespace
}  // namespace mc::test
