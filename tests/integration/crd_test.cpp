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
  auto environment = kubectl.environment();
  environment["KUBECTL"] = kubectl.control_plane() / "kubectl";
  must_run({source_dir() / "tests/crds/run-cases.sh", "--kubeconfig", kubectl.kubeconfig()},
           {.input = "", .environment = environment}, std::chrono::seconds(300));
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

TEST_F(CrdAlone, AFluxSetupIsListedWithItsLimitsAndItsQueue) {
  const json setup = {{"apiVersion", "flux-framework.org/v1alpha2"},
                      {"kind", "FluxSetup"},
                      {"metadata", {{"name", "listed"}}},
                      {"spec", json::object()}};
  kubectl.must({"create", "-f", "-"}, setup.dump());
  const json status = json::parse(R"({"status": {"waiting": 3, "admitted": 2,
      "hard": {"cpu": "64"}, "used": {"cpu": 12}, "summary": {"hard": "cpu 64", "used": "cpu 12"},
      "conditions": [{"type": "InForce", "status": "True", "reason": "InForce", "message": "",
                      "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})");
  kubectl.patch("fluxsetup", "listed", status, {"--subresource=status"});
  const auto lines = lines_of(kubectl.must({"get", "fluxsetups", "listed"}));
  kubectl.must({"delete", "fluxsetup", "listed"});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0],
              ::testing::MatchesRegex("NAME +USED +HARD +WAITING +STRATEGY +INFORCE +AGE"));
  EXPECT_THAT(lines[1], ::testing::MatchesRegex(
                            "listed +cpu 12 +cpu 64 +3 +BestEffortFIFO +True +[0-9a-z]+"));
}

TEST_F(CrdAlone, ScaleBeyondMaxSizeIsRefused) {
  create(minicluster("grows", {{"maxSize", 4}}));
  const Outcome outcome = kubectl({"scale", "minicluster/grows", "--replicas=5"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("must be less than or equal to maxSize (4)"));
}

TEST_F(CrdAlone, EveryFieldIsExplained) {
  EXPECT_THAT(kubectl.must({"explain", "minicluster.spec.size"}), HasSubstr("DESCRIPTION"));
  EXPECT_THAT(kubectl.must({"explain", "fluxsetup.spec.hard"}), HasSubstr("DESCRIPTION"));
}

}  // namespace
}  // namespace mc::test
