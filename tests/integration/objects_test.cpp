#include "common/base/base64.h"
#include "tests/integration/story.h"

namespace mc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> keys(const std::map<std::string, json>& objects) {
  std::vector<std::string> result;
  for (const auto& [key, object] : objects) result.push_back(key);
  return result;
}

// A sidecar with a port, and a service: needs every kind of object.
json everything(const std::string& name) {
  return minicluster(name,
                     {{"containers",
                       {{{"image", "ubuntu:noble"}, {"command", "hostname"}, {"runFlux", true}},
                        {{"name", "cache"}, {"image", "redis:7"}, {"ports", {6379}}}}},
                      {"services", {{{"name", "web"}, {"image", "nginx:1.27"}, {"ports", {80}}}}}});
}

class Objects : public ClusterStory {
 protected:
  // Creates a MiniCluster and waits until nothing changes any more: the Job's pods exist (none runs
  // without a node), and the controller has seen them.
  void settle(const json& object) {
    make_object(object);
    const std::string name = object["metadata"]["name"];
    ASSERT_TRUE(eventually([&] {
      return value_at(kubectl.get({"job", name}), "/status/active", 0) == 2;
    })) << kubectl.get({"job", name}).dump(2);
    let_the_controller_catch_up(kubectl);
  }

  std::string short_uid(const std::string& name) {
    const json object = kubectl.get({"minicluster", name});
    return object["metadata"]["uid"].get<std::string>().substr(0, 8);
  }
};

TEST_F(Objects, EachIsMadeAndAccepted) {
  make_object(everything("all"));
  const std::string uid = short_uid("all");
  EXPECT_THAT(keys(owned(kubectl, "all")),
              ElementsAre("ConfigMap/all-entrypoint-" + uid, "Job/all", "Pod/all-services",
                          "Secret/all-curve-" + uid, "Service/all", "Service/cache"));
  EXPECT_TRUE(condition(kubectl, "all", "Accepted", "True"));
}

TEST_F(Objects, TheCurveCertificateIsShownNowhereButInItsSecret) {
  make("secret");
  const json secret = owned(kubectl, "secret").at("Secret/secret-curve-" + short_uid("secret"));
  const std::string encoded = secret["data"].begin().value();
  const std::string text = base64_decoded(encoded).value();
  const std::string line = text.substr(text.find("secret-key"));
  const std::string key = line.substr(line.find('"') + 1, 40);
  ASSERT_EQ(key.size(), 40U);
  for (const auto& [name, object] : owned(kubectl, "secret")) {
    EXPECT_EQ(object.dump().find(key), std::string::npos) << name;
  }
  EXPECT_EQ(kubectl.get({"events"}).dump().find(key), std::string::npos);
  EXPECT_EQ(Stage::get().controller_log().find(key), std::string::npos);
}

TEST_F(Objects, AGeneratedNameReachesEveryName) {
  json object = minicluster("x");
  object["metadata"] = {{"generateName", "made-"}};
  const json stored = json::parse(kubectl.must({"create", "-o", "json", "-f", "-"}, object.dump()));
  const std::string name = stored["metadata"]["name"];
  ASSERT_TRUE(has_condition(kubectl, name, "ObjectsReady", "True"));
  const std::map<std::string, json> objects = owned(kubectl, name);
  ASSERT_TRUE(objects.contains("Service/" + name));
  EXPECT_EQ(objects.at("Job/" + name)["spec"]["template"]["spec"]["subdomain"], name);
}

TEST_F(Objects, ASecondPassWritesNothing) {
  settle(everything("quiet"));
  std::map<std::string, std::string> before = versions(kubectl, "quiet");
  kubectl.must({"annotate", "minicluster", "quiet", "note=look-again"});
  before["MiniCluster"] = kubectl.get({"minicluster", "quiet"})["metadata"]["resourceVersion"];
  let_the_controller_catch_up(kubectl);
  EXPECT_EQ(versions(kubectl, "quiet"), before);
}

// Also with a client certificate; the first controller had a token.
TEST_F(Objects, ARestartedControllerWritesNothing) {
  settle(everything("quiet"));
  const std::map<std::string, std::string> before = versions(kubectl, "quiet");
  Stage::get().restart_controller(kubectl.control_plane() / "kubeconfig-certificate");
  let_the_controller_catch_up(kubectl);
  EXPECT_EQ(versions(kubectl, "quiet"), before);
}

TEST_F(Objects, WhatWasDeletedComesBackAndTheRestStays) {
  settle(everything("heals"));
  std::map<std::string, std::string> before = versions(kubectl, "heals");
  kubectl.must({"delete", "service", "cache"});
  EXPECT_TRUE(eventually([&] { return owned(kubectl, "heals").contains("Service/cache"); }));
  std::map<std::string, std::string> after = versions(kubectl, "heals");
  for (const char* key : {"Service/cache", "MiniCluster"}) {
    before.erase(key);
    after.erase(key);
  }
  EXPECT_EQ(after, before);
}

// The garbage collector discovers a new kind within half a minute.
TEST_F(Objects, DeletionLeavesNothing) {
  make_object(everything("gone"));
  EXPECT_THAT(owned(kubectl, "gone"), Not(IsEmpty()));
  kubectl.must({"delete", "minicluster", "gone"});
  EXPECT_TRUE(eventually(
      [&] {
        return kubectl
            .get({"configmaps,secrets,services,pods,jobs", "-l",
                  "flux-framework.org/minicluster=gone"})["items"]
            .empty();
      },
      std::chrono::seconds(120)));
}

}  // namespace
}  // namespace mc::test
