#include "tests/integration/story.h"

// The Job with its success policy, with real pods that never run: the test writes their status.
namespace mc::test {
namespace {

class Lead : public ClusterStory {
 protected:
  // Creates a MiniCluster with this restart policy and waits for `size` pods.
  void make(const std::string& name, const std::string& restart_policy, int size) {
    create(minicluster(
        name, {{"size", size}, {"maxSize", 6}, {"pod", {{"restartPolicy", restart_policy}}}}));
    ASSERT_TRUE(has_pods(name, size)) << kubectl.get({"job", name}).dump(2);
  }

  bool has_pods(const std::string& name, int count) {
    return eventually(
        [&] { return value_at(kubectl.get({"job", name}), "/status/active", 0) == count; });
  }

  // Writes the end of the pod with that index, as a kubelet would.
  void end_pod(const std::string& job, const std::string& index, const std::string& phase) {
    const std::string selector = "batch.kubernetes.io/job-name=" + job +
                                 ",batch.kubernetes.io/job-completion-index=" + index;
    const json pods = kubectl.get({"pods", "-l", selector})["items"];
    ASSERT_EQ(pods.size(), 1U);
    kubectl.must({"patch", "pod", pods[0]["metadata"]["name"], "--subresource=status",
                  "--type=merge", "-p", json({{"status", {{"phase", phase}}}}).dump()});
  }
};

TEST_F(Lead, ItsSuccessCompletesTheJobAndTheMiniCluster) {
  make("leads", "Never", 3);
  end_pod("leads", "0", "Succeeded");
  EXPECT_TRUE(eventually([&] {
    return value_at(kubectl.get({"minicluster", "leads"}), "/status/phase", std::string()) ==
           "Succeeded";
  })) << kubectl.get({"job", "leads"}).dump(2);
}

TEST_F(Lead, TheSuccessOfAFollowerDoesNot) {
  make("follows", "Never", 3);
  end_pod("follows", "1", "Succeeded");
  EXPECT_TRUE(eventually(
      [&] { return value_at(kubectl.get({"job", "follows"}), "/status/succeeded", 0) == 1; }));
  EXPECT_TRUE(has_pods("follows", 2));
  EXPECT_FALSE(kubectl.get({"job", "follows"})["status"].contains("conditions"));
}

TEST_F(Lead, AJobWithASuccessPolicyGrowsAndShrinks) {
  for (const char* restart_policy : {"Never", "OnFailure"}) {
    SCOPED_TRACE(restart_policy);
    const std::string name = restart_policy == std::string("Never") ? "never" : "on-failure";
    make(name, restart_policy, 2);
    EXPECT_TRUE(kubectl.get({"job", name})["spec"].contains("successPolicy"));
    for (const int size : {5, 1}) {
      kubectl.must({"scale", "minicluster/" + name, "--replicas=" + std::to_string(size)});
      EXPECT_TRUE(has_pods(name, size)) << kubectl.get({"job", name}).dump(2);
      EXPECT_EQ(kubectl.get({"job", name})["spec"]["completions"], size);
    }
  }
}

}  // namespace
}  // namespace mc::test
