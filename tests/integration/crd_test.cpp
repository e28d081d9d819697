#include "tests/integration/story.h"

namespace mc::test {
namespace {

using ::testing::HasSubstr;

// What the CRD enforces without both services.
class CrdAlone : public Story {
 protected:
  static void SetUpTestSuite() { Stage::get().without_services(); }
};

TEST_F(CrdAlone, AHundredCasesHoldEachByAKubectlOfItsOwn) {
  must_run({source_dir() / "tests/crds/run-cases.sh", "--kubeconfig", kubectl.kubeconfig()},
           {.input = "",
            .environment = {{"KUBECTL", kubectl.control_plane() / "kubectl"},
                            {"HOME", kubectl.control_plane() / "home"}}},
           std::chrono::seconds(300));
}

TEST(KubernetesTypes, AreThoseOfThePublishedOpenApi) {
  must_run({source_dir() / "common/api/schema/kubernetes-types/generate.sh", "--check"}, {},
           std::chrono::seconds(300));  // Go downloads the module
}

TEST_F(CrdAlone, TheShortNameAndTheColumnsAreThere) {
  create(minicluster("listed"));
  const std::string table = kubectl.must({"get", "mc"});
  for (const char* column : {"NAME", "SIZE", "READY", "PHASE", "AGE"}) {
    EXPECT_THAT(table, HasSubstr(column));
  }
}

TEST_F(CrdAlone, ScaleBeyondMaxSizeIsRefused) {
  create(minicluster("grows", {{"maxSize", 4}}));
  const Outcome outcome = kubectl({"scale", "minicluster/grows", "--replicas=5"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("must be less than or equal to maxSize (4)"));
}

TEST_F(CrdAlone, EveryFieldIsExplained) {
  EXPECT_THAT(kubectl.must({"explain", "minicluster.spec.size"}), HasSubstr("DESCRIPTION"));
}

}  // namespace
}  // namespace mc::test
