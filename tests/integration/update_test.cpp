#include "tests/integration/story.h"

namespace mc::test {
namespace {

using ::testing::HasSubstr;

class Update : public WebhookStory {
 protected:
  Outcome patch(const std::string& name, const json& change) {
    return kubectl({"patch", "minicluster", name, "--type=merge", "-p", change.dump()});
  }
};

TEST_F(Update, WhatCannotChangeIsSaidWithItsPath) {
  create(minicluster("fixed"));
  const Outcome outcome = patch(
      "fixed",
      {{"spec",
        {{"tasks", 4}, {"containers", {{{"image", "debian:12"}, {"command", "hostname"}}}}}}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("\n* spec.tasks: "));
  EXPECT_THAT(outcome.err, HasSubstr("\n* spec.containers[0].image: "));
  EXPECT_THAT(outcome.err, HasSubstr("immutable"));
  EXPECT_EQ(kubectl.get({"minicluster", "fixed"})["spec"]["tasks"], 1);
}

TEST_F(Update, ReplacingWithTheFileAsWrittenKeepsComputedFields) {
  create(minicluster("kept", {{"maxSize", 5}}));
  const std::string file = minicluster("kept", {{"size", 3}}).dump();
  // kubectl reads the resourceVersion and writes with it: a status update in between is a conflict.
  EXPECT_TRUE(eventually([&] { return kubectl({"replace", "-f", "-"}, file).code == 0; }));
  const json spec = kubectl.get({"minicluster", "kept"})["spec"];
  EXPECT_EQ(spec["size"], 3);
  EXPECT_EQ(spec["maxSize"], 5);
}

TEST_F(Update, MetadataSizeAndCleanupMayChange) {
  create(minicluster("free", {{"maxSize", 4}}));
  kubectl.must({"label", "minicluster", "free", "team=hpc"});
  kubectl.must({"annotate", "minicluster", "free", "note=seen"});
  EXPECT_EQ(patch("free", {{"spec", {{"size", 4}}}}).code, 0);
  EXPECT_EQ(patch("free", {{"spec", {{"cleanup", true}}}}).code, 0);
}

TEST_F(Update, WhatTheOldObjectHadWrongIsNotHeldAgainstTheNew) {
  Stage::get().without_webhook();
  create(minicluster("old", {{"maxSize", 4}, {"flux", {{"brokerConfig", "not [ toml"}}}}));
  Stage::get().with_webhook();
  kubectl.must({"annotate", "minicluster", "old", "note=seen"});
  EXPECT_EQ(patch("old", {{"spec", {{"size", 3}}}}).code, 0);
  const Outcome worse = patch("old", {{"spec", {{"size", 0}}}});
  EXPECT_EQ(worse.code, 1);
  EXPECT_THAT(worse.err, HasSubstr("spec.size: Invalid value: 0: "));
}

}  // namespace
}  // namespace mc::test
