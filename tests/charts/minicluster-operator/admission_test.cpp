#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/charts/minicluster-operator/release.h"

// The objects of `helm test`, and its script, run on the API server's host.
namespace mc::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kName = "minicluster-operator-test";

class HelmTest : public ChartStory {
 protected:
  HelmTest() {
    for (const char* kind : {"ServiceAccount", "Role", "RoleBinding"}) {
      system.must({"create", "-f", "-"}, named(objects_, kind, kName).dump());
    }
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(kubectl.control_plane() / "ca.crt", folder_ / "ca.crt",
                               std::filesystem::copy_options::overwrite_existing);
    std::ofstream(folder_ / "token") << system.must({"create", "token", kName});
  }

  ~HelmTest() override { system.must({"delete", "serviceaccount,role,rolebinding", kName}); }

  // Runs the script with this timeout in seconds.
  Outcome tried(const std::string& timeout) const {
    const json pod = named(objects_, "Pod", kName);
    const std::string script = pod.at("/spec/containers/0/args/0"_json_pointer);
    return run({"sh", "-c", script}, {.input = "",
                                      .environment = {{"API_SERVER", server()},
                                                      {"NAMESPACE", kReleaseNamespace},
                                                      {"LABELS", R"({"a":"b"})"},
                                                      {"SERVICE_ACCOUNT", folder_},
                                                      {"TIMEOUT", timeout}}});
  }

 private:
  const std::vector<json> objects_ = rendered();
  const std::filesystem::path folder_ = kubectl.control_plane() / "helm-test";
};

TEST_F(HelmTest, TellsWhetherTheWebhookIsAsked) {
  const Outcome without = tried("0");
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.out, HasSubstr("a good MiniCluster: expected 201 with \"maxSize\":3"));
  Stage::get().with_webhook();
  const Outcome with = tried("30");
  EXPECT_EQ(with.code, 0) << with.out << with.err;
  EXPECT_EQ(with.out, "A good MiniCluster is accepted and defaulted, a bad one is refused.\n");
}

// The namespace in which `helm test` asks, and where it has a Role for that.
std::string asked_namespace(const std::vector<std::string>& arguments) {
  const auto objects = rendered(arguments);
  const std::string out = named(objects, "Role", kName).at("metadata").at("namespace");
  EXPECT_EQ(named(objects, "RoleBinding", kName).at("metadata").at("namespace"), out);
  EXPECT_THAT(named(objects, "Pod", kName).at("/spec/containers/0/env"_json_pointer),
              Contains(json{{"name", "NAMESPACE"}, {"value", out}}));
  return out;
}

TEST(HelmTestObjects, AskWhereTheWebhookIsCalled) {
  EXPECT_EQ(asked_namespace({}), kReleaseNamespace);
  EXPECT_EQ(asked_namespace({"--set", "namespaces={team-a,team-b}"}), "team-a");
  EXPECT_EQ(asked_namespace({"--set", "test.namespace=hpc"}), "hpc");
  EXPECT_EQ(asked_namespace({"--set", "namespaces={kube-system,team-b}"}), "team-b");
  EXPECT_EQ(asked_namespace({"--namespace=kube-system"}), "default");
  EXPECT_EQ(
      asked_namespace({"--namespace=kube-system", "--set", "webhook.excludedNamespaces=null"}),
      "kube-system");
}

TEST(HelmTestObjects, AreNotThereWithoutRbac) {
  const auto objects = rendered({"--set", "rbac.create=false,rbac.userRoles=false"});
  for (const json& object : objects) {
    EXPECT_THAT(object.at("apiVersion").get<std::string>(), Not(StartsWith("rbac.")));
    EXPECT_THAT(object.at("metadata").dump(), Not(HasSubstr("helm.sh/hook")));
  }
}

}  // namespace
}  // namespace mc::test
