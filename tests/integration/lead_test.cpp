#include "tests/integration/lifecycle_story.h"

// The Job with its success policy, with real pods that never run: the test writes their status.
namespace mc::test {
namespace {

class Lead : public LifecycleStory {
 protected:
  JobPods make_lead(const std::string& name, const std::string& restart_policy, int size) {
    return make_with_pods(
        name, {{"size", size}, {"maxSize", 6}, {"pod", {{"restartPolicy", restart_policy}}}});
  }
};

TEST_F(Lead, ItsSuccessCompletesTheJobAndTheMiniCluster) {
  make_lead("leads", "Never", 3).end(0, 0);
  EXPECT_TRUE(eventually([&] {
    return value_at(kubectl.get({"minicluster", "leads"}), "/status/phase", std::string()) ==
           "Succeeded";
  })) << kubectl.get({"job", "leads"}).dump(2);
}

TEST_F(Lead, TheSuccessOfAFollowerDoesNot) {
  const JobPods pods = make_lead("follows", "Never", 3);
  pods.end(1, 0);
  EXPECT_TRUE(eventually([&] { return value_at(pods.job(), "/status/succeeded", 0) == 1; }));
  EXPECT_TRUE(pods.are(2));
  EXPECT_FALSE(pods.job()["status"].contains("conditions"));
}

TEST_F(Lead, AJobWithASuccessPolicyGrowsAndShrinks) {
  for (const char* restart_policy : {"Never", "OnFailure"}) {
    SCOPED_TRACE(restart_policy);
    const std::string name = restart_policy == std::string("Never") ? "never" : "on-failure";
    const JobPods pods = make_lead(name, restart_policy, 2);
    EXPECT_TRUE(pods.job()["spec"].contains("successPolicy"));
    for (const int size : {5, 1}) {
      kubectl.must({"scale", "minicluster/" + name, "--replicas=" + std::to_string(size)});
      EXPECT_TRUE(pods.are(size));
      EXPECT_EQ(pods.job()["spec"]["completions"], size);
    }
  }
}

}  // namespace
}  // namespace mc::test
