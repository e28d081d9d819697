#include "tests/integration/story.h"

// What users add to the fields of the API: a patch of the pod template, a Secret.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

class OfTheUsers : public ClusterStory {};

TEST_F(OfTheUsers, APatchOfThePodTemplateReachesThePods) {
  const json probe = {{"exec", {{"command", {"true"}}}}};
  json object = minicluster("patched");
  object["spec"]["pod"]["template"] = {
      {"metadata", {{"labels", {{"team", "hpc"}}}}},
      {"spec",
       {{"terminationGracePeriodSeconds", 7},
        {"containers", {{{"name", "patched"}, {"livenessProbe", probe}}}},
        {"volumes", {{{"name", "flux-operator-home"}, {"emptyDir", {{"sizeLimit", "1Gi"}}}}}},
        {"affinity", nullptr}}}};
  make_object(object);
  ASSERT_TRUE(eventually([&] {
    return kubectl.get({"pods", "-l", "team=hpc"})["items"].size() == 2;
  })) << kubectl.get({"job", "patched"}).dump(2);
  const json pod = kubectl.get({"pods", "-l", "team=hpc"})["items"][0];
  EXPECT_EQ(pod["metadata"]["labels"]["app"], "flux-operator");
  EXPECT_EQ(pod["spec"]["terminationGracePeriodSeconds"], 7);
  EXPECT_EQ(pod["spec"]["containers"][0]["livenessProbe"]["exec"], probe["exec"]);
  EXPECT_EQ(pod["spec"]["containers"][0]["image"], "ubuntu:noble");
  EXPECT_THAT(pod["spec"]["volumes"].dump(), HasSubstr("1Gi"));
  EXPECT_FALSE(pod["spec"].contains("affinity"));
}

TEST_F(OfTheUsers, ATemplateThatTheApiServerRefusesIsReportedInTheCondition) {
  const json patch = {{"spec", {{"dnsPolicy", "Elsewhere"}}}};
  create(minicluster("wrong", {{"pod", {{"template", patch}}}}));
  ASSERT_TRUE(has_condition(kubectl, "wrong", "ObjectsReady", "False"));
  EXPECT_THAT(condition(kubectl, "wrong", "ObjectsReady", "False").value_or(""),
              HasSubstr("spec.template.spec.dnsPolicy"));
}

TEST_F(OfTheUsers, ACertificateOfTheirsTakesThePlaceOfOurs) {
  kubectl.must({"create", "secret", "generic", "my-curve", "--from-literal=curve.cert=x"});
  make("own", {{"flux", {{"curveCertSecret", "my-curve"}}}});
  for (const auto& [key, object] : owned(kubectl, "own")) {
    EXPECT_EQ(key.find("Secret/"), std::string::npos) << key;
  }
  EXPECT_THAT(kubectl.get({"job", "own"})["spec"]["template"].dump(), HasSubstr("\"my-curve\""));
  EXPECT_TRUE(kubectl.get({"secret", "my-curve"})["metadata"]["ownerReferences"].is_null());
}

}  // namespace
}  // namespace mc::test
