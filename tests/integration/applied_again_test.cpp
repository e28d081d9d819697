#include "tests/integration/story.h"

// What `kubectl apply` says of a file that has been applied before.
namespace mc::test {
namespace {

using ::testing::EndsWith;

class AppliedAgain : public ClusterStory {
 protected:
  std::string apply(const json& object) {
    return kubectl.must({"apply", "-f", "-"}, object.dump());
  }
};

// A file with lists whose items have defaults: containers, services, volumes and bursted clusters.
TEST_F(AppliedAgain, AnUnchangedFileIsUnchanged) {
  const json file = minicluster(
      "same", {{"containers",
                {{{"command", "hostname"}, {"volumes", {{"scratch", {{"path", "/scratch"}}}}}}}},
               {"services", {{{"name", "db"}}}},
               {"pod", {{"tolerations", {{{"key", "hpc"}, {"operator", "Exists"}}}}}},
               {"flux", {{"bursting", {{"clusters", {{{"size", 1}}}}}}}}});
  EXPECT_THAT(apply(file), EndsWith("created\n"));
  EXPECT_THAT(apply(file), EndsWith("unchanged\n"));
  ASSERT_TRUE(has_condition(kubectl, "same", "ObjectsReady", "True"));
  EXPECT_THAT(apply(file), EndsWith("unchanged\n"));
  EXPECT_TRUE(has_condition(kubectl, "same", "Accepted", "True"));
}

// `kubectl get -o json` of one, with another name.
TEST_F(AppliedAgain, ACopyUnderAnotherNameHasEverythingOfItsOwn) {
  make("first");
  json copy = kubectl.get({"minicluster", "first"});
  copy["metadata"] = {{"name", "second"}};
  create(copy);
  ASSERT_TRUE(has_condition(kubectl, "second", "ObjectsReady", "True"));
  EXPECT_TRUE(kubectl.get({"service", "second"}).is_object());
  EXPECT_EQ(kubectl.get({"job", "second"})["spec"]["template"]["spec"]["subdomain"], "second");
}

}  // namespace
}  // namespace mc::test
