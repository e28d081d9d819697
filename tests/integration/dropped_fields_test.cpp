#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/integration/lifecycle_story.h"

// The controller's report of the Job fields that this API server drops. They depend on its version
// and feature gates, set by tests/control_plane/control-plane.sh.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kNoSuccessPolicy = "JobSuccessPolicy=false";

// The feature gates that were set; nothing for the API server's defaults.
std::vector<std::string> feature_gates(bool success_policy) {
  const char* const gates = std::getenv("MINICLUSTER_TEST_FEATURE_GATES");
  const std::string set = gates == nullptr ? "" : gates;
  const bool is_off = set.find(kNoSuccessPolicy) != std::string::npos;
  return is_off == success_policy ? std::vector<std::string>{} : std::vector{set};
}

class FieldsOfJobs : public LifecycleStory, public ::testing::WithParamInterface<std::string> {
 protected:
  static void SetUpTestSuite() {
    Stage::get().with_webhook();
    Stage::get().restart_controller(Stage::get().kubectl().kubeconfig());
  }

  static bool is_logged(const std::string& words) {
    return eventually(
        [&] { return Stage::get().controller_log().find(words) != std::string::npos; });
  }
};

class Kept : public FieldsOfJobs {};

TEST_P(Kept, AreAllOfThemByThisApiServer) {
  EXPECT_TRUE(is_logged("The API server keeps every field of Jobs"))
      << Stage::get().controller_log();
  make("whole");
  EXPECT_THAT(told("whole", "ObjectsReady", "True"), HasSubstr("Created: "));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Kept);
INSTANTIATE_TEST_SUITE_P(FieldsOfJobs, Kept, ::testing::ValuesIn(feature_gates(true)));

class RestartInPlace : public FieldsOfJobs {};

// 1.36 and newer have the field; 1.34 drops it; others do not know this value of it, or refuse it.
TEST_F(RestartInPlace, IsToldOfIfThisApiServerDoesNotHaveIt) {
  make("place", {{"restartStrategy", "InPlace"}});
  const auto said = [&] {
    return told("place", "ObjectsReady", "True") + told("place", "ObjectsReady", "False");
  };
  ASSERT_TRUE(eventually([&] { return !said().empty(); }));
  const json job = kubectl.get({"job", "place"});
  if (job.is_null()) {
    EXPECT_THAT(said(), AllOf(HasSubstr("Refused: "), HasSubstr("restartPolicy")));
  } else if (job.contains("/spec/template/spec/containers/0/restartPolicyRules"_json_pointer)) {
    EXPECT_THAT(said(), HasSubstr("Created: "));
  } else {
    EXPECT_THAT(said(), AllOf(HasSubstr("FieldDropped: "), HasSubstr("restartPolicyRules"),
                              HasSubstr("is run again in another pod, not in the same one")));
  }
}

class WithoutSuccessPolicy : public FieldsOfJobs {};

TEST_P(WithoutSuccessPolicy, TheLogAndTheMiniClustersThatItHurtsSaySo) {
  EXPECT_TRUE(is_logged("\"The API server drops a field of Jobs\" field=\"spec.successPolicy\""))
      << Stage::get().controller_log();
  make("pair");
  EXPECT_THAT(told("pair", "ObjectsReady", "True"),
              AllOf(HasSubstr("FieldDropped: "), HasSubstr("spec.successPolicy"),
                    HasSubstr("enable the feature gate JobSuccessPolicy")));
  EXPECT_TRUE(eventually([&] {
    const std::vector<std::string> sent = events("pair");
    return std::ranges::find(sent, "Warning FieldDropped") != sent.end();
  }));
  make("alone", {{"size", 1}});
  EXPECT_THAT(told("alone", "ObjectsReady", "True"), HasSubstr("Created: "));
}

TEST_P(WithoutSuccessPolicy, ItIsToldOnceAndNothingIsWrittenAgainAndAgain) {
  make("calm");
  const auto before = versions(kubectl, "calm");
  Stage::get().restart_controller(Stage::get().kubectl().kubeconfig());
  let_the_controller_catch_up(kubectl);
  EXPECT_EQ(versions(kubectl, "calm"), before);
  EXPECT_EQ(value_at(event("calm", "FieldDropped"), "/count", 0), 1);
}

TEST_P(WithoutSuccessPolicy, TheEndComesWithTheLastPodAndNotWithTheLead) {
  const JobPods pods = make_with_pods("slow");
  pods.run_all(2);
  pods.end(0, 0);
  EXPECT_TRUE(eventually([&] { return value_at(pods.job(), "/status/succeeded", 0) == 1; }));
  EXPECT_TRUE(comes("slow", "Ready", "False", "Finished: "));
  EXPECT_NE(status("slow")["phase"], "Succeeded");
  pods.end(1, 0);
  EXPECT_TRUE(comes("slow", "Complete", "True", "CommandSucceeded: "));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WithoutSuccessPolicy);
INSTANTIATE_TEST_SUITE_P(FieldsOfJobs, WithoutSuccessPolicy,
                         ::testing::ValuesIn(feature_gates(false)));

}  // namespace
}  // namespace mc::test
