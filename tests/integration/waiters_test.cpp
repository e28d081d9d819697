#include <memory>

#include "tests/integration/lifecycle_story.h"
#include "tests/support/helm.h"
#include "tests/support/programs.h"
#include "tests/support/temporary_folder.h"

// What tools say of a MiniCluster that wait until what they have applied is there: Helm 4, and
// kstatus, the library by which Flux CD and others wait (tests/control_plane/kstatus).
namespace mc::test {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string kstatus(const json& object) {
  static const std::string program = built_program("kstatus");
  return must_run({program}, {.input = object.dump(), .environment = {}});
}

class Waiters : public LifecycleStory {
 protected:
  std::string status_by_kstatus(const std::string& name) {
    return kstatus(kubectl.get({"minicluster", name}));
  }

  // Waits until kstatus says this. Otherwise the test fails.
  bool becomes(const std::string& name, const std::string& what) {
    std::string last;
    const bool came = eventually([&] {
      last = status_by_kstatus(name);
      return last.starts_with(what);
    });
    EXPECT_TRUE(came) << last << kubectl.get({"minicluster", name}).dump(2);
    return came;
  }

  // Installs a chart with this MiniCluster, and waits for it.
  std::unique_ptr<Process> install(const std::string& name, const char* timeout = "2m") {
    write_chart(folder_.path(), minicluster(name));
    return start_helm({"install", "user", folder_.path(), "--wait", "--timeout", timeout,
                       "--namespace", kubectl.namespace_name()},
                      Helm::k4);
  }

  const TemporaryFolder folder_;
};

TEST_F(Waiters, ASuccessIsCurrentFromItsQuorumOn) {
  const JobPods pods = make_with_pods("good");
  EXPECT_TRUE(becomes("good", "InProgress: "));
  pods.run_all(2);
  EXPECT_TRUE(becomes("good", "Current: "));
  pods.end(1, 0);
  pods.end(0, 0);
  ASSERT_TRUE(comes("good", "Complete", "True", "CommandSucceeded: "));
  EXPECT_THAT(status_by_kstatus("good"), StartsWith("Current: "));
  EXPECT_EQ(told("good", "Ready", "True"), told("good", "Complete", "True"));
}

TEST_F(Waiters, AFailureHasFailedWithItsMessage) {
  const JobPods pods = make_with_pods("fails");
  pods.run_all(2);
  pods.end(0, 7, "lost atom 3\n");
  EXPECT_TRUE(becomes("fails", "Failed: The command ended with code 7: lost atom 3"));
}

TEST_F(Waiters, WhatTheClusterMayStillProvideIsInProgress) {
  const JobPods pods = make_with_pods("waits");
  pods.wait(0, "ImagePullBackOff", "no such image");
  ASSERT_TRUE(comes("waits", "Ready", "False", "ImagePullFailed: "));
  EXPECT_THAT(status_by_kstatus("waits"), StartsWith("InProgress: "));
  create(minicluster("held", {{"suspend", true}}));
  ASSERT_TRUE(comes("held", "Ready", "False", "Suspended: "));
  EXPECT_THAT(status_by_kstatus("held"), StartsWith("InProgress: "));
}

TEST_F(Waiters, ASpecThatNeedsAChangeHasFailed) {
  make("changed");
  Stage::get().without_webhook();
  patch("changed", {{"tasks", 9}});
  create(minicluster("invalid", {{"flux", {{"brokerConfig", "["}}}}));
  EXPECT_TRUE(becomes("changed", "Failed: spec.tasks: Forbidden: was changed"));
  EXPECT_TRUE(becomes("invalid", "Failed: spec.flux.brokerConfig: Invalid value: "));
  EXPECT_THAT(kubectl.must({"get", "minicluster", "changed"}), HasSubstr("NotApplied"));
  patch("changed", {{"tasks", 1}});
  EXPECT_TRUE(becomes("changed", "InProgress: "));
  Stage::get().with_webhook();
}

TEST_F(Waiters, OneThatIsDeletedIsTerminating) {
  json object = minicluster("goes");
  object["metadata"]["finalizers"] = {"example.com/keep"};
  create(object);
  kubectl.must({"delete", "minicluster", "goes", "--wait=false"});
  EXPECT_TRUE(becomes("goes", "Terminating: "));
  kubectl.patch("minicluster", "goes", {{"metadata", {{"finalizers", nullptr}}}});
}

TEST_F(Waiters, HelmWaitsForASuccess) {
  const auto helm = install("good");
  const JobPods pods(kubectl, "good");
  ASSERT_TRUE(pods.are(2));
  pods.end(1, 0);
  pods.end(0, 0);
  EXPECT_EQ(helm->wait(seconds(60)), 0) << helm->err();
}

// It waits for its whole time in any case, and then says so.
TEST_F(Waiters, HelmSaysThatOneHasFailed) {
  const auto helm = install("fails", "8s");
  const JobPods pods(kubectl, "fails");
  ASSERT_TRUE(pods.are(2));
  pods.run(1);
  pods.end(0, 7, "lost atom 3\n");
  EXPECT_EQ(helm->wait(seconds(60)), 1);
  EXPECT_THAT(helm->err(), HasSubstr("name: fails, kind: MiniCluster, status: Failed"));
}

TEST_F(Waiters, HelmWaitsAsLongAsThereIsNoController) {
  Stage::get().without_controller();
  const auto helm = install("late");
  ASSERT_TRUE(eventually([&] { return kubectl.get({"minicluster", "late"}).is_object(); }));
  EXPECT_THAT(status_by_kstatus("late"), StartsWith("InProgress: "));
  EXPECT_FALSE(helm->wait(seconds(20))) << helm->out();
  Stage::get().with_controller();
  const JobPods pods(kubectl, "late");
  ASSERT_TRUE(pods.are(2));
  EXPECT_FALSE(helm->wait(seconds(3))) << helm->out();
  pods.run_all(2);
  EXPECT_EQ(helm->wait(seconds(60)), 0) << helm->err();
}

TEST_F(Waiters, PhasesAreSelectedByTheApiServer) {
  const JobPods pods = make_with_pods("fails");
  make("starts");
  pods.end(0, 7);
  ASSERT_TRUE(comes("fails", "Failed", "True", "CommandFailed: "));
  EXPECT_EQ(kubectl.must({"get", "miniclusters", "--field-selector=status.phase=Failed", "-o",
                          "jsonpath={.items[*].metadata.name}"}),
            "fails");
}

}  // namespace
}  // namespace mc::test
