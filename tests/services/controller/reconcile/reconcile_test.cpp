#include "services/controller/reconcile/reconcile.h"

#include <gtest/gtest.h>

#include "tests/services/controller/late_watches.h"
#include "tests/services/controller/reconciler.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {
namespace {

constexpr const char* kCluster = R"({"apiVersion": "flux-framework.org/v1alpha2",
  "kind": "MiniCluster", "metadata": {"name": "sample", "namespace": "lab"},
  "spec": {"size": 2, "containers": [{"image": "ubuntu:noble", "command": "hostname"}]}})";

class ReconcileTest : public testing::Test {
 protected:
  ReconcileTest() {
    world_.put(json::parse(kCluster));
    watches_.deliver_all();
  }

  Result<kube::RequeueAfter> run() { return reconcile(reconciler_.context(caches_), "lab/sample"); }
  // Deletes everything except the MiniCluster, as the garbage collector does, and delivers the
  // events.
  void collect() {
    for (const json& object : world_.all()) {
      if (object["kind"] != "MiniCluster")
        world_.remove(object["kind"].get<std::string>(),
                      object["metadata"]["name"].get<std::string>());
    }
    watches_.deliver_all();
  }

  void remove_unseen() {
    auto& on_change = world_.on_change.front();
    on_change = [deliver = on_change](const json& before, const json& after) {
      if (before.is_null() || before["kind"] != "MiniCluster") deliver(before, after);
    };
    world_.remove("MiniCluster", "sample");
  }

  Timeline timeline_;
  World world_{1, timeline_};
  Caches caches_;
  LateWatches watches_{world_, "lab/sample", caches_};
  Reconciler reconciler_{world_};
};

TEST_F(ReconcileTest, WhatIsTakenAwayIsMadeAgain) {
  ASSERT_TRUE(run());
  watches_.deliver_all();
  const std::size_t all = world_.all().size();
  EXPECT_GT(all, 1U);
  collect();
  EXPECT_EQ(world_.all().size(), 1U);
  EXPECT_TRUE(run());
  EXPECT_EQ(world_.all().size(), all);
}

// The MiniCluster's watch lags behind those of its objects: recreated objects would be collected
// and recreated again, and so on.
TEST_F(ReconcileTest, NothingIsMadeAgainForAMiniClusterThatIsGone) {
  ASSERT_TRUE(run());
  watches_.deliver_all();
  remove_unseen();
  collect();
  ASSERT_TRUE(world_.all().empty());
  EXPECT_TRUE(run());
  EXPECT_TRUE(world_.all().empty()) << world_.all().front()["kind"];
}

// As if the previous leader has created everything but written no status.
TEST_F(ReconcileTest, NorForOneWithoutStatusThatIsNotNew) {
  world_.pass_time(std::chrono::seconds(10));
  remove_unseen();
  EXPECT_TRUE(run());
  EXPECT_TRUE(world_.all().empty()) << world_.all().front()["kind"];
}

// So no status was written from which a later reconcile could know that it is not the first.
TEST_F(ReconcileTest, NorForANewOneThatWentDuringItsFirstReconcile) {
  world_.on_request = [&](const kube::Request& request) {
    if (request.path.ends_with("/status")) remove_unseen();
  };
  EXPECT_TRUE(run());
  world_.on_request = [](const kube::Request&) {};
  collect();
  EXPECT_TRUE(run());
  EXPECT_TRUE(world_.all().empty()) << world_.all().front()["kind"];
}

// With a slow API server, seconds can pass between the plan and the Job.
TEST_F(ReconcileTest, AJobIsNotStartedByLimitsThatHaveChangedMeanwhile) {
  ReconcileContext context = reconciler_.context(caches_);
  QuotaReservation quota;
  context.quota = [&](const std::string&) { return quota; };
  world_.on_request = [&](const kube::Request& request) {
    if (request.method == "POST" && request.path.ends_with("/services")) quota.limited = true;
  };
  const auto first = reconcile(context, "lab/sample");
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().kind, ErrorKind::Conflict);
  EXPECT_EQ(world_.find("Job", "sample"), nullptr);
  ASSERT_TRUE(reconcile(context, "lab/sample"));
  const json job = *world_.find("Job", "sample");
  EXPECT_EQ(job["spec"]["suspend"], true);

  quota.job = job["metadata"]["uid"];
  quota.granted = 2;
  context.quota = [&](const std::string&) {
    QuotaReservation out = quota;
    quota.granted = 0;
    return out;
  };
  EXPECT_FALSE(reconcile(context, "lab/sample"));
  EXPECT_EQ((*world_.find("Job", "sample"))["spec"]["suspend"], true);
}

TEST_F(ReconcileTest, ANewOneIsNotLookedFor) {
  std::size_t reads = 0;
  world_.on_request = [&](const kube::Request& request) {
    reads += request.method == "GET" ? 1 : 0;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(reads, 0U);
}

}  // namespace
}  // namespace mc::controller::test
