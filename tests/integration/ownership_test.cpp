#include "tests/integration/lifecycle_story.h"

// Only the owner reference decides who owns an object, not its name or labels.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Ownership : public LifecycleStory {};

TEST_F(Ownership, AHeadlessServiceOfAnotherStopsTheJobUntilItIsGone) {
  kubectl.must({"create", "service", "clusterip", "taken", "--tcp=1:1"});
  create(minicluster("taken"));
  ASSERT_TRUE(comes("taken", "ObjectsReady", "False", "NameTaken: "));
  EXPECT_THAT(told("taken", "ObjectsReady", "False"), HasSubstr("Service taken"));
  EXPECT_TRUE(kubectl.get({"job", "taken"}).is_null());
  kubectl.must({"delete", "service", "taken"});
  const JobPods pods(kubectl, "taken");
  EXPECT_TRUE(eventually([&] { return pods.job().is_object(); }, std::chrono::seconds(60)));
}

TEST_F(Ownership, AServiceOfAnotherMiniClusterIsToldWithThatAndTheRemedy) {
  const json shared = {{"network", {{"headlessName", "flux-service"}}}};
  make("member-0", shared);
  create(minicluster("member-1", shared));
  ASSERT_TRUE(comes("member-1", "ObjectsReady", "False", "NameTaken: "));
  EXPECT_THAT(
      told("member-1", "ObjectsReady", "False"),
      AllOf(HasSubstr("Service flux-service (of MiniCluster member-0)"),
            HasSubstr("another spec.network.headlessName"), HasSubstr("useExistingService")));
}

TEST_F(Ownership, ASidecarsServiceOfAnotherIsOnlyTold) {
  kubectl.must({"create", "service", "clusterip", "cache", "--tcp=1:1"});
  create(minicluster("beside",
                     {{"containers",
                       {{{"image", "ubuntu:noble"}, {"command", "hostname"}, {"runFlux", true}},
                        {{"name", "cache"}, {"image", "redis:7"}, {"ports", {6379}}}}}}));
  ASSERT_TRUE(comes("beside", "ObjectsReady", "False", "NameTaken: "));
  const JobPods pods(kubectl, "beside");
  EXPECT_TRUE(pods.are(2)) << "the Job does not wait for it";
  EXPECT_TRUE(kubectl.get({"service", "cache"})["metadata"]["ownerReferences"].is_null());
}

TEST_F(Ownership, AnObjectThatLostItsLabelsIsOursAgain) {
  make("labels");
  const json before = kubectl.get({"service", "labels"})["metadata"];
  kubectl.patch("service", "labels", R"([{"op": "remove", "path": "/metadata/labels"}])"_json);
  EXPECT_TRUE(eventually([&] {
    json now = kubectl.get({"service", "labels"})["metadata"];  // without labels for a moment
    return now["labels"] == before["labels"] && now["uid"] == before["uid"];
  })) << kubectl.get({"service", "labels"}).dump(2);
  EXPECT_TRUE(has_condition(kubectl, "labels", "ObjectsReady", "True"));
}

TEST_F(Ownership, EachOwnedObjectThatIsDeletedComesBack) {
  make("heals", {{"services", {{{"name", "web"}, {"image", "nginx:1.27"}}}}});
  const std::string uid = kubectl.get({"minicluster", "heals"})["metadata"]["uid"];
  const std::string files = "configmap/heals-entrypoint-" + uid.substr(0, 8);
  for (const std::string& object : {std::string("service/heals"), files, std::string("job/heals"),
                                    std::string("pod/heals-services")}) {
    const json before = kubectl.get({object})["metadata"]["uid"];
    kubectl.must({"delete", object});
    EXPECT_TRUE(eventually([&] {
      const json now = kubectl.get({object});
      return now.is_object() && now["metadata"]["uid"] != before;
    })) << object;
  }
  EXPECT_TRUE(has_condition(kubectl, "heals", "ObjectsReady", "True"));
}

// The controller cannot see Secrets; it creates a new one with a new Job.
TEST_F(Ownership, ADeletedCertificateComesBackWithANewJob) {
  make("secret");
  const std::string uid = kubectl.get({"minicluster", "secret"})["metadata"]["uid"];
  const std::string secret = "secret-curve-" + uid.substr(0, 8);
  kubectl.must({"delete", "secret", secret});
  let_the_controller_catch_up(kubectl);
  EXPECT_TRUE(kubectl.get({"secret", secret}).is_null());
  kubectl.must({"delete", "job", "secret"});
  EXPECT_TRUE(eventually([&] { return kubectl.get({"secret", secret}).is_object(); }));
  EXPECT_TRUE(eventually([&] { return kubectl.get({"job", "secret"}).is_object(); }));
}

}  // namespace
}  // namespace mc::test
