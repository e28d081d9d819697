#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/charts/minicluster-operator/rendered.h"

// The chart without the webhook, and with the policies that take its place.
namespace mc::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<json> with_policies(const std::string& values) {
  return rendered({"--set", "admissionPolicies.enabled=true", "--set", values, "--api-versions",
                   "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"});
}

TEST(ChartPolicies, NeedAnApiServerThatHasThem) {
  expect_refused({{"admissionPolicies.enabled=true",
                   "admissionPolicies.enabled needs Kubernetes 1.36 or newer"}});
}

TEST(ChartPolicies, AreBoundInTheNamespacesThatTheWebhookWouldBeAskedFor) {
  const auto objects =
      with_policies("namespaces={team-a},webhook.objectSelector.matchLabels.checked=yes");
  const json wanted = {
      {"namespaceSelector",
       {{"matchExpressions",
         {{{"key", "kubernetes.io/metadata.name"}, {"operator", "In"}, {"values", {"team-a"}}},
          {{"key", "kubernetes.io/metadata.name"},
           {"operator", "NotIn"},
           {"values", {"kube-system", "kube-public", "kube-node-lease"}}}}}}},
      {"objectSelector", {{"matchLabels", {{"checked", "yes"}}}}}};
  for (const char* kind : {"Mutating", "Validating"}) {
    const std::string policy = std::string(kind) + "AdmissionPolicy";
    EXPECT_FALSE(named(objects, policy, kRelease).is_null());
    const json binding = named(objects, policy + "Binding", kRelease);
    EXPECT_EQ(binding.at("spec").at("policyName"), kRelease);
    EXPECT_EQ(binding.at("spec").at("matchResources"), wanted);
    EXPECT_EQ(named(objects, std::string(kind) + "WebhookConfiguration",
                    std::string(kRelease) + "-webhook")
                  .at("webhooks")[0]["namespaceSelector"],
              wanted["namespaceSelector"]);
  }
}

TEST(ChartPolicies, WithoutTheWebhookNothingOfItIsInstalled) {
  const auto objects = rendered({"--set", "webhook.enabled=false,metrics.rules.enabled=true"});
  ASSERT_THAT(objects, Not(IsEmpty()));
  std::vector<std::string> names;
  for (const json& object : objects) names.push_back(object.at("metadata").at("name"));
  EXPECT_THAT(names, Each(Not(HasSubstr("webhook"))));
  EXPECT_THAT(names, Each(Not(HasSubstr("ca-bundle"))));
  EXPECT_TRUE(named(objects, "Pod", std::string(kRelease) + "-test").is_null());
  const json controller = named(objects, "Deployment", std::string(kRelease) + "-controller");
  EXPECT_THAT(container_of(controller).at("args").dump(), Not(HasSubstr("--webhook")));
  const json rules = named(objects, "PrometheusRule", kRelease);
  EXPECT_THAT(rules.dump(), Not(HasSubstr("MiniClusterWebhookAbsent")));
  EXPECT_THAT(rules.dump(), HasSubstr("MiniClusterNoLeader"));
}

}  // namespace
}  // namespace mc::test
