#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "services/controller/reconcile/reconcile.h"
#include "tests/services/controller/late_watches.h"
#include "tests/services/controller/reconciler.h"
#include "tests/services/controller/world.h"

// What reconciles tell of the binding of pods to nodes.
namespace mc::controller::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kSample = R"({"apiVersion": "flux-framework.org/v1alpha2",
  "kind": "MiniCluster", "metadata": {"name": "sample", "namespace": "lab"},
  "spec": {"size": 3, "containers": [{"image": "ubuntu:noble", "command": "hostname"}]}})";

// A controller with caches of its own, which it fills at its start.
class OneController {
 public:
  explicit OneController(World& world) : world_(world) {
    for (const char* kind : {"MiniCluster", "Job", "Pod"}) watches_.relist(kind);
    watches_.deliver_all();
    caches_.job_pods.lead();
  }

  void reconcile() {
    watches_.deliver_all();
    ReconcileContext context = reconciler_.context(caches_);
    context.bound = [this](std::chrono::seconds took) { told.push_back(took); };
    ASSERT_TRUE(controller::reconcile(context, "lab/sample"));
  }

  std::size_t in_part() const { return caches_.bound_in_part.size(); }

  std::vector<std::chrono::seconds> told;

 private:
  World& world_;
  Caches caches_;
  LateWatches watches_{world_, "lab/sample", caches_};
  Reconciler reconciler_{world_};
};

class BindingTest : public testing::Test {
 protected:
  BindingTest() { world_.put(json::parse(kSample)); }

  // bind: the scheduler gives the pod of that index a node. find_no_node: it finds none.
  void bind(int index) {
    set_pod(index,
            {{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", world_.time()}});
  }
  void find_no_node(int index) {
    set_pod(index, {{"type", "PodScheduled"},
                    {"status", "False"},
                    {"reason", "Unschedulable"},
                    {"message", "0/1 nodes"}});
  }
  void lose(int index) { world_.remove("Pod", "sample-" + std::to_string(index)); }

  Timeline timeline_;
  World world_{1, timeline_};

 private:
  void set_pod(int index, json condition) {
    const json* job = world_.find("Job", "sample");
    ASSERT_NE(job, nullptr);
    json labels = job->at("spec").at("template").at("metadata").at("labels");
    labels["batch.kubernetes.io/job-completion-index"] = std::to_string(index);
    world_.put(
        {{"kind", "Pod"},
         {"metadata",
          {{"name", "sample-" + std::to_string(index)},
           {"labels", std::move(labels)},
           {"ownerReferences", json::array({{{"kind", "Job"},
                                             {"name", "sample"},
                                             {"uid", uid_of(*job)},
                                             {"controller", true}}})}}},
         {"status", {{"phase", "Pending"}, {"conditions", json::array({std::move(condition)})}}}});
  }
};

TEST_F(BindingTest, TheTimeFromTheFirstToTheLastIsToldOnce) {
  OneController controller(world_);
  controller.reconcile();
  bind(0);
  find_no_node(1);
  find_no_node(2);
  controller.reconcile();
  EXPECT_EQ(controller.in_part(), 1U);
  EXPECT_THAT(controller.told, IsEmpty());
  world_.pass_time(std::chrono::seconds(40));
  bind(1);
  bind(2);
  controller.reconcile();
  EXPECT_EQ(controller.in_part(), 0U);
  EXPECT_THAT(controller.told, ElementsAre(std::chrono::seconds(40)));
  world_.pass_time(std::chrono::seconds(1000));
  lose(1);
  controller.reconcile();
  bind(1);
  controller.reconcile();
  EXPECT_THAT(controller.told, ElementsAre(std::chrono::seconds(40)))
      << "a pod that is replaced is no start";
}

TEST_F(BindingTest, TheNextStartIsToldToo) {
  OneController controller(world_);
  controller.reconcile();
  for (int start = 0; start < 2; ++start) {
    for (const int index : {0, 1, 2}) {
      bind(index);
      world_.pass_time(std::chrono::seconds(start));
    }
    controller.reconcile();
    for (const int index : {0, 1, 2}) lose(index);
    controller.reconcile();
  }
  EXPECT_THAT(controller.told, ElementsAre(std::chrono::seconds(0), std::chrono::seconds(2)));
}

TEST_F(BindingTest, ARestartTellsNothingAgain) {
  {
    OneController before(world_);
    before.reconcile();
    for (const int index : {0, 1, 2}) bind(index);
    before.reconcile();
    EXPECT_THAT(before.told, ElementsAre(std::chrono::seconds(0)));
  }
  world_.on_change.clear();  // the watches of that one
  OneController after(world_);
  after.reconcile();
  world_.pass_time(std::chrono::seconds(1000));
  lose(1);
  after.reconcile();
  bind(1);
  after.reconcile();
  EXPECT_THAT(after.told, IsEmpty());
}

TEST_F(BindingTest, OneThatIsDeletedIsNotInPart) {
  OneController controller(world_);
  controller.reconcile();
  bind(0);
  find_no_node(1);
  controller.reconcile();
  EXPECT_EQ(controller.in_part(), 1U);
  world_.remove("MiniCluster", "sample");
  controller.reconcile();
  EXPECT_EQ(controller.in_part(), 0U);
}

}  // namespace
}  // namespace mc::controller::test
