#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <vector>

#include "common/kube/config.h"
#include "tests/fault_proxy/fault_proxy.h"
#include "tests/integration/leaders.h"
#include "tests/integration/quota_story.h"
#include "tests/support/metrics.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

// The limits of a FluxSetup hold whatever becomes of the leaders and of what they have sent.
namespace mc::test {
namespace {

using std::chrono::seconds;

constexpr int kSlow = 10;  // percent of requests that are delayed

// Controllers with leader election, each behind a slow connection of its own.
class QuotaLeaders : public QuotaStory {
 protected:
  struct Controller {
    TemporaryFolder folder;
    std::unique_ptr<FaultProxy> connection;
    std::unique_ptr<Service> service;  // ends before its connection
  };

  std::unique_ptr<Controller> controller() {
    auto out = std::make_unique<Controller>();
    out->connection =
        std::make_unique<FaultProxy>(must(kube::load_config(kubectl.kubeconfig())), ++seed_);
    const std::string file = out->folder / "kubeconfig";
    std::ofstream(file) << out->connection->kubeconfig();
    out->connection->slow_down(kSlow);
    out->service = leaders.controller(file);
    return out;
  }

  // Replaces those that have ended: on a busy machine a renewal may have been late.
  void have_two() {
    std::erase_if(controllers_, [](const auto& one) {
      return one->service->wait(std::chrono::milliseconds(0)).has_value();
    });
    while (controllers_.size() < 2) controllers_.push_back(controller());
  }

  // The one that leads, which is no longer one of the two.
  std::unique_ptr<Controller> take_leader() {
    std::unique_ptr<Controller> out;
    EXPECT_TRUE(eventually([&] {
      const auto found = std::ranges::find_if(controllers_, [](const auto& one) {
        return sum_of(one->service->get("/metrics").value_or(""),
                      "leader_election_master_status") == 1;
      });
      if (found == controllers_.end()) return false;
      out = std::move(*found);
      controllers_.erase(found);
      return true;
    }));
    return out;
  }

  // Who took the admission log over last. All these controllers have the same host name.
  std::string keeper_of_log() {
    const json log = kubectl.get({"configmap", "minicluster-workspace"});
    return value_at(log, "/metadata/annotations/flux-framework.org~1holder", std::string());
  }

  // MiniClusters of two pods.
  void submit_many(int count) {
    json all = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
    for (int i = 0; i < count; ++i) {
      json object = minicluster("mc-" + std::to_string(i));
      object["spec"]["size"] = 2;
      all["items"].push_back(std::move(object));
    }
    create(all);
  }

  // Ends each one that runs, until it is stopped.
  std::jthread end_all() {
    return std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        kubectl({"annotate", "pods", "-l", "batch.kubernetes.io/job-completion-index=0",
                 "--field-selector=status.phase=Running", "minicluster.test/ends=0",
                 "--overwrite"});
      }
    });
  }

  void wait_until_finished(int count, seconds limit) {
    int finished = 0;
    ASSERT_TRUE(eventually(
        [&] { return (finished = static_cast<int>(in_phase("Succeeded").size())) >= count; },
        limit))
        << finished << " of " << count;
  }

  const Leaders leaders{kubectl};

 private:
  std::uint64_t seed_ = 0;
  std::vector<std::unique_ptr<Controller>> controllers_;
};

TEST_F(QuotaLeaders, TheLimitHoldsWhileLeadersAreKilledAndStandStillAndWritesComeLate) {
  Stage::get().without_controller();
  have_two();
  constexpr int kLimit = 12, kCount = 60;
  limit({{"hard", {{"pods", std::to_string(kLimit)}}}});
  const PodCount pods(kubectl);
  submit_many(kCount);
  const std::jthread ends = end_all();
  wait_until_finished(kCount / 4, seconds(120));
  have_two();
  // It is killed with writes under way, which reach the API server when the next one has long led.
  const auto killed = take_leader();
  ASSERT_TRUE(killed);
  killed->connection->keep_writes();
  ASSERT_TRUE(eventually([&] { return killed->connection->kept() > 0; }));
  std::string before = leaders.holder();
  const std::string keeper = keeper_of_log();
  EXPECT_NE(keeper, "");
  killed->service->signal(SIGKILL);
  EXPECT_TRUE(leaders.have_another_than(before));
  EXPECT_TRUE(eventually([&] { return keeper_of_log() != keeper; })) << keeper;
  have_two();
  wait_until_finished(kCount / 2, seconds(120));
  killed->connection->release_writes();
  EXPECT_TRUE(eventually([&] { return killed->connection->kept() == 0; }));
  have_two();
  const auto stalled = take_leader();
  ASSERT_TRUE(stalled);
  before = leaders.holder();
  stalled->service->signal(SIGSTOP);
  EXPECT_TRUE(leaders.have_another_than(before));
  stalled->service->signal(SIGCONT);
  EXPECT_EQ(stalled->service->wait(seconds(15)), 1) << "it has lost its Lease";
  wait_until_finished(kCount, seconds(180));
  EXPECT_LE(pods.most(), kLimit);
  EXPECT_GT(pods.most(), kLimit / 2) << "the limit is used";
  EXPECT_GT(pods.samples(), 100);
  const auto last = take_leader();
  ASSERT_TRUE(last);
  last->service->stop();
}

}  // namespace
}  // namespace mc::test
