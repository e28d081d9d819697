#include "tests/integration/story.h"

// The user's patch of the pod template.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

class OfTheUsers : public ClusterStory {};

TEST_F(OfTheUsers, ATemplateThatTheApiServerRefusesIsReportedInTheCondition) {
  const json patch = {{"spec", {{"dnsPolicy", "Elsewhere"}}}};
  create(minicluster("wrong", {{"pod", {{"template", patch}}}}));
  ASSERT_TRUE(has_condition(kubectl, "wrong", "ObjectsReady", "False"));
  EXPECT_THAT(condition(kubectl, "wrong", "ObjectsReady", "False").value_or(""),
              HasSubstr("spec.template.spec.dnsPolicy"));
}

}  // namespace
}  // namespace mc::test
