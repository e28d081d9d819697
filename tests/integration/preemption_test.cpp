#include <string>

#include "tests/integration/quota_story.h"
#include "tests/support/eventually.h"

// Whom a FluxSetup's queue suspends for others, on a real API server with the real Job controller
// and scheduler.
namespace mc::test {
namespace {

class Preemption : public QuotaStory {
 protected:
  void SetUp() override {
    QuotaStory::SetUp();
    kubectl.must({"create", "priorityclass", kUrgent, "--value=1000"});
    limit({{"hard", {{"pods", "3"}}}, {"namespaces", {{{"priorityClassNames", {kUrgent}}}}}});
  }
  void TearDown() override {
    kubectl.must({"delete", "priorityclass", kUrgent});
    QuotaStory::TearDown();
  }

  void submit_urgent(const std::string& name, int size) {
    submit(name, size, {{"priorityClassName", kUrgent}});
  }
  // The uids of the pods that exist of it.
  std::string pods_of(const std::string& name) {
    return kubectl.must({"get", "pods", "-l", "batch.kubernetes.io/job-name=" + name, "-o",
                         "jsonpath={.items[*].metadata.uid}"});
  }

  static constexpr const char* kUrgent = "preemption-urgent";
};

TEST_F(Preemption, OneThatAgreedGoesForAHigherPriorityComesBackAndGoesNoMoreOftenThanItAgreed) {
  submit("refuses", 1);
  is("refuses", "Running");
  submit("agrees", 2, {{"preemptible", {{"maxPreemptions", 1}}}});
  is("agrees", "Running");
  const std::string before = pods_of("refuses");

  submit_urgent("urgent", 2);
  EXPECT_TRUE(eventually([&] {
    return quota_says("agrees", "False Preempted") ==
           "Suspended so that a MiniCluster with a higher priority can run (suspension 1 of at "
           "most 1). Place 1 in "
           "the "
           "queue. Waiting for room for 2 pods. The cluster-wide limit is 3.";
  })) << quota_says("agrees", "False Preempted");
  is("urgent", "Running");
  EXPECT_EQ(kubectl.get({"mc", "agrees"})["status"]["preemptions"], 1);
  EXPECT_TRUE(eventually([&] {
    return !kubectl.items({"events", "--field-selector", "reason=Preempted,type=Warning"}).empty();
  }));

  end_lead("urgent", 0);
  is("agrees", "Running");
  submit_urgent("later", 2);
  EXPECT_EQ(quota_says("later", "False Waiting"),
            "Place 1 in the queue. Waiting for room for 2 pods. The cluster-wide limit is 3.");
  is("agrees", "Running");
  end_lead("agrees", 0);
  is("later", "Running");
  EXPECT_EQ(pods_of("refuses"), before) << "it never agreed";
}

// The Job says that it was suspended, so the next leader knows it.
TEST_F(Preemption, OneThatWasSuspendedForOthersStartsAgainUnderTheNextLeader) {
  submit("agrees", 3, {{"preemptible", json::object()}});
  is("agrees", "Running");
  submit_urgent("urgent", 2);
  quota_says("agrees", "False Preempted");
  is("urgent", "Running");
  Stage::get().without_controller();
  end_lead("urgent", 0);
  Stage::get().with_controller();
  is("agrees", "Running");
  EXPECT_EQ(quota_says("agrees", "True Reserved"),
            "The MiniCluster runs within the limits of the FluxSetup.");
  end_lead("agrees", 0);
  is("agrees", "Succeeded");
}

}  // namespace
}  // namespace mc::test
