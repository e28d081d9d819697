#include "common/base/json.h"
#include "e2e/stories/pod_story.h"

// Limits on a real node, as the chart installs the operator: the controller's and the webhook's.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Quota : public PodStory {
 protected:
  void TearDown() override {
    kubectl.must({"delete", "fluxsetup", "quota-story"});
    PodStory::TearDown();
    // A minute later; until then other stories would wait.
    EXPECT_TRUE(test::eventually(
        [&] {
          return kubectl
              .must({"get", "configmaps", "-A",
                     "--field-selector=metadata.name=minicluster-workspace", "-o",
                     "jsonpath={.items[*].metadata.annotations.flux-framework\\.org/"
                     "fluxsetup}"})
              .empty();
        },
        90s));
  }

  std::string phase(const std::string& name) const {
    return text_at(kubectl.get({"minicluster", name}), {"status", "phase"});
  }
};

TEST_F(Quota, OneWaitsUntilAnotherIsGoneAndOneThatNeverFitsIsRefusedAtApply) {
  apply({{"apiVersion", "flux-framework.org/v1alpha2"},
         {"kind", "FluxSetup"},
         {"metadata", {{"name", "quota-story"}}},
         {"spec",
          {{"namespaces",
            {{{"selector",
               {{"matchLabels", {{"kubernetes.io/metadata.name", kubectl.namespace_name()}}}}},
              {"hard", {{"pods", "1"}}}}}},
           {"hard", {{"pods", "100"}}}}}});
  EXPECT_TRUE(test::eventually([&] {
    return kubectl.must({"get", "fluxsetup", "quota-story"}).find("True") != std::string::npos;
  })) << kubectl({"get", "fluxsetup", "-o", "yaml"}).out;
  apply(minicluster("first", 1, sh("sleep 600")));
  ASSERT_TRUE(reaches("first", "Ready"));
  apply(minicluster("second", 1, sh("true")));
  ASSERT_TRUE(test::eventually([&] { return phase("second") == "Waiting"; }));
  EXPECT_THAT(reason("second", "QuotaReserved"), HasSubstr("Waiting: "));
  kubectl.must({"delete", "minicluster", "first"});
  ASSERT_TRUE(reaches("second", "Complete"));
  // The kubelet shows the webhook the limits within a minute and a half.
  Outcome refused;
  EXPECT_TRUE(test::eventually(
      [&] {
        refused = kubectl({"apply", "--dry-run=server", "-f", "-"},
                          minicluster("third", 101, sh("true")).dump());
        return refused.code != 0;
      },
      120s));
  EXPECT_THAT(refused.err, HasSubstr("spec.size: Invalid value: 101: needs 101 pods, but the "
                                     "cluster-wide limit is 100"));
}

}  // namespace
}  // namespace mc::e2e
