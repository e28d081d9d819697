#include <gmock/gmock.h>

#include "tests/integration/nodes_story.h"

// spec.podDisruptionBudget with the real Eviction API, as `kubectl drain` uses it.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

class Disruption : public OnNodes {
 protected:
  Outcome evict(const std::string& pod) const {
    const json eviction = {{"apiVersion", "policy/v1"},
                           {"kind", "Eviction"},
                           {"metadata", {{"name", pod}, {"namespace", kubectl.namespace_name()}}}};
    return kubectl({"create", "--raw",
                    "/api/v1/namespaces/" + kubectl.namespace_name() + "/pods/" + pod + "/eviction",
                    "-f", "-"},
                   eviction.dump());
  }

  // How many pods may be evicted; -1 before the disruption controller has counted, and without a
  // PodDisruptionBudget.
  int allowed(const std::string& name) const {
    return value_at(kubectl.get({"poddisruptionbudget", name}), "/status/disruptionsAllowed", -1);
  }

  std::string pod(const std::string& name, int index) const {
    return kubectl.must(
        {"get", "pods", "-l",
         "job-name=" + name + ",batch.kubernetes.io/job-completion-index=" + std::to_string(index),
         "-o", "jsonpath={.items[0].metadata.name}"});
  }
};

TEST_F(Disruption, AnEvictionLeavesThePodsThatTheCommandNeedsUntilItEnds) {
  make("kept", {{"size", 3}, {"minSize", 2}, {"podDisruptionBudget", {{"enabled", true}}}});
  ASSERT_TRUE(run("kept", 3));
  ASSERT_TRUE(eventually([&] { return allowed("kept") == 1; }));
  EXPECT_EQ(evict(pod("kept", 2)).code, 0);
  const Outcome refused = evict(pod("kept", 1));
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("violate the pod's disruption budget"));
  ASSERT_TRUE(run("kept", 3)) << "the evicted pod is replaced";
  ASSERT_TRUE(eventually([&] { return allowed("kept") == 1; }));
  end_lead("kept", 0);
  wait("kept", "Complete");
  EXPECT_TRUE(eventually([&] { return kubectl.get({"poddisruptionbudget", "kept"}).is_null(); }));
}

TEST_F(Disruption, TheBudgetFollowsTheSizeAndGoesWhenItIsTurnedOff) {
  make("sized",
       {{"size", 2}, {"maxSize", 4}, {"minSize", 0}, {"podDisruptionBudget", {{"enabled", true}}}});
  ASSERT_TRUE(run("sized", 2));
  ASSERT_TRUE(eventually([&] { return allowed("sized") == 0; }));
  kubectl.must({"scale", "minicluster/sized", "--replicas=1"});
  EXPECT_TRUE(eventually([&] {
    return value_at(kubectl.get({"poddisruptionbudget", "sized"}), "/spec/minAvailable", 0) == 1;
  }));
  kubectl.must({"delete", "poddisruptionbudget", "sized"});
  EXPECT_TRUE(
      eventually([&] { return kubectl.get({"poddisruptionbudget", "sized"}).is_object(); }));
  kubectl.patch("minicluster", "sized", {{"spec", {{"podDisruptionBudget", nullptr}}}});
  EXPECT_TRUE(eventually([&] { return kubectl.get({"poddisruptionbudget", "sized"}).is_null(); }));
  EXPECT_EQ(evict(pod("sized", 0)).code, 0);
}

}  // namespace
}  // namespace mc::test
