#include "services/controller/interpret/lost_node.h"

#include <gtest/gtest.h>

#include "tests/services/controller/status/status_of.h"

namespace mc::controller {
namespace {

// As the node controller leaves one whose kubelet does not answer: its containers are as they were.
constexpr const char* kSilent = R"({
    "spec": {"nodeName": "n2", "containers": [{"name": "sample"}]},
    "status": {"phase": "Running",
               "conditions": [{"type": "Ready", "status": "False"},
                              {"type": "ContainersReady", "status": "True"}]}})";
// Told to end at 00:00:00, with 30 s.
constexpr const char* kEnding = R"({
    "metadata": {"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30},
    "spec": {"nodeName": "n2", "containers": [{"name": "sample"}]}})";
const Node kNotReady{.not_ready =
                         Reason{"NodeStatusUnknown", "Kubelet stopped posting node status."}};

TimePoint after(int seconds) { return test::kNow + std::chrono::seconds(seconds); }

// A MiniCluster in the phase Running, with its lead and this follower.
Observed running_beside(const char* follower) {
  Observed out =
      test::observed(test::cluster(R"({"status": {"phase": "Running"}})"), {test::job()});
  out.pods = {test::pod("0", kReadyPod), test::pod("1", follower)};
  return out;
}

TEST(LostNode, IsLookedForOnceAPodThatTheJobNeedsTakesLongToEnd) {
  struct Case {
    const char* name;
    const char* index;
    const char* pod;
    const char* job;
    int seconds;
    bool stuck;
    int look_again;  // 0: never
  };
  for (const Case& c : {
           Case{"at once", "1", kEnding, "{}", 0, false, 5},
           Case{"after a while", "1", kEnding, "{}", 5, true, 30},
           Case{"a pod that runs", "1", "{}", "{}", 50, false, 0},
           Case{"one that the Job does not need", "2", kEnding, "{}", 50, false, 0},
           Case{"of a suspended Job", "1", kEnding, R"({"spec": {"suspend": true}})", 50, false, 0},
           Case{"one that is silent", "1", kSilent, "{}", 0, true, 30},
           Case{"a silent one that the Job does not need", "2", kSilent, "{}", 0, false, 0},
           Case{"on no node", "1", R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})",
                "{}", 50, false, 0},
       }) {
    Observed seen = test::observed(test::cluster());
    seen.pods = {test::pod("0"), test::pod(c.index, c.pod)};
    const StuckPod found = stuck_pod(seen, read_job(test::job(c.job)), after(c.seconds));
    EXPECT_EQ(found.pod != nullptr, c.stuck) << c.name;
    EXPECT_EQ(found.look_again.value_or(std::chrono::seconds(0)).count(), c.look_again) << c.name;
  }
}

TEST(LostNode, IsOneThatIsNotReady) {
  const Shared<Pod> pod = test::pod("1", kEnding);
  const auto lost = lost_node(*pod, &kNotReady, after(5));
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->why, "NodeStatusUnknown: Kubelet stopped posting node status.");
  const Node ready;
  EXPECT_FALSE(lost_node(*pod, &ready, after(500)));
  EXPECT_FALSE(lost_node(*pod, nullptr, after(30))) << "unknown, and it still has time";
  EXPECT_TRUE(lost_node(*pod, nullptr, after(40)));
}

TEST(LostNode, IsToldWithTheRemedyAndThePhaseStays) {
  Observed seen = running_beside(kEnding);
  seen.lost_node = lost_node(*seen.pods[1], &kNotReady, after(5));
  const json of = status_of(seen);
  EXPECT_EQ(text_at(of, {"phase"}), "Running");
  EXPECT_EQ(
      condition(of, "Ready"),
      "False NodeLost: pod sample-1 is terminating but still exists: its node n2 is not "
      "ready "
      "(NodeStatusUnknown: Kubelet stopped posting node status.). Kubernetes replaces the pod once "
      "it has been deleted. If the machine is powered off and does not come back, an administrator "
      "can release the pod "
      "with: kubectl taint node n2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
  seen.lost_node.reset();
  EXPECT_EQ(text_at(status_of(seen), {"phase"}), "Running") << "before its node was asked for";
  seen.pods.pop_back();
  EXPECT_EQ(text_at(status_of(seen), {"phase"}), "Starting") << "it is gone";
}

TEST(LostNode, IsToldBeforeItsPodIsToldToEnd) {
  Observed seen = running_beside(kSilent);
  seen.lost_node = lost_node(*seen.pods[1], &kNotReady, after(0));
  const json of = status_of(seen);
  EXPECT_EQ(text_at(of, {"phase"}), "Running");
  EXPECT_EQ(
      condition(of, "Ready"),
      "False NodeLost: pod sample-1 may still be running, but its node n2 is not ready "
      "(NodeStatusUnknown: Kubelet stopped posting node status.). Kubernetes deletes the pod "
      "after 300 s, unless its tolerations say otherwise. Kubernetes replaces the pod once it has "
      "been deleted. If the machine is powered off and does not come back, an administrator can "
      "release the pod with: "
      "kubectl taint node n2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
  EXPECT_TRUE(lost_node(*seen.pods[1], nullptr, after(0))) << "nodes may not be read";
}

// The command must run again, whatever becomes of the other pod.
TEST(LostNode, OfAFollowerHidesNoLostLead) {
  for (const char* other : {kSilent, kEnding}) {
    Observed seen = running_beside(other);
    EXPECT_EQ(text_at(status_of(seen), {"phase"}), "Running");
    seen.pods[0] = test::pod("0", R"({"status": {"phase": "Failed"}})");
    EXPECT_EQ(text_at(status_of(seen), {"phase"}), "Starting");
    seen.pods[0] = test::pod("0", R"({"status": {"phase": "Pending"}})");
    EXPECT_EQ(text_at(status_of(seen), {"phase"}), "Starting");
    seen.pods[0] = test::pod("0", kSilent);
    EXPECT_EQ(text_at(status_of(seen), {"phase"}), "Running");
  }
}

}  // namespace
}  // namespace mc::controller
