#include "tests/integration/story.h"

namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two errors that the CRD's rules cannot detect.
json unseen(const std::string& name) {
  return minicluster(name, {{"flux", {{"brokerConfig", "not [ toml"}, {"curveCert", "no zcert"}}}});
}

class WebhookOff : public ControllerAloneStory {
 protected:
  json warnings(const std::string& name) {
    return kubectl
        .get({"events", "--field-selector",
              "involvedObject.kind=MiniCluster,type=Warning,involvedObject.name=" + name})
        .at("items");
  }
};

TEST_F(WebhookOff, AnInvalidObjectIsToldSoAndMadeIntoNothing) {
  create(unseen("bad"));
  ASSERT_TRUE(has_condition(kubectl, "bad", "Accepted", "False"));
  const std::string message = condition(kubectl, "bad", "Accepted", "False").value_or("");
  EXPECT_THAT(message, HasSubstr("spec.flux.brokerConfig: Invalid value: "));
  EXPECT_THAT(message, HasSubstr("spec.flux.curveCert: Invalid value: "));
  EXPECT_TRUE(eventually([&] { return !warnings("bad").empty(); }));
  let_the_controller_catch_up(kubectl);
  EXPECT_THAT(owned(kubectl, "bad"), IsEmpty());
  const json events = warnings("bad");
  ASSERT_EQ(events.size(), 1U) << events.dump(2);
  EXPECT_EQ(events[0].value("count", 1), 1);
  EXPECT_THAT(events[0]["message"].get<std::string>(), HasSubstr("spec.flux.brokerConfig"));
}

TEST_F(WebhookOff, AnUnknownFieldOfAKubernetesTypeIsToldAndTheMiniClusterIsMade) {
  make("typo", {{"pod", {{"securityContext", {{"fsgroup", 5}}}}}});
  ASSERT_TRUE(has_condition(kubectl, "typo", "Accepted", "True"));
  EXPECT_EQ(condition(kubectl, "typo", "Accepted", "True"),
            "The spec is valid, but Kubernetes probably drops spec.pod.securityContext.fsgroup: "
            "unknown field, did you mean \"fsGroup\"?");
}

TEST_F(WebhookOff, OnceCorrectedItIsMade) {
  create(unseen("mended"));
  ASSERT_TRUE(has_condition(kubectl, "mended", "Accepted", "False"));
  kubectl.patch("minicluster", "mended",
                R"({"spec": {"flux": {"brokerConfig": null, "curveCert": null}}})"_json);
  EXPECT_TRUE(has_condition(kubectl, "mended", "ObjectsReady", "True"));
  EXPECT_TRUE(condition(kubectl, "mended", "Accepted", "True"));
}

TEST_F(WebhookOff, DefaultsAreTheControllersToo) {
  make("plain");
  EXPECT_TRUE(owned(kubectl, "plain").contains("Service/plain"));
  EXPECT_FALSE(kubectl.get({"minicluster", "plain"})["spec"].contains("maxSize"))
      << "the controller never writes a spec";
}

}  // namespace
}  // namespace mc::test
