#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "common/base/json_path.h"
#include "common/base/yaml.h"
#include "tests/charts/minicluster-operator/helm.h"
#include "tests/support/eventually.h"
#include "tests/support/kubectl.h"
#include "tests/support/stage.h"

// The chart on a real API server. No pod runs there: the programs are started beside it, with the
// rights that the chart gives them.
namespace mc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// No pod answers the webhook's Service, so the API server must not ask it.
constexpr const char* kNeverAsked =
    R"(webhook.matchConditions=[{"name": "never", "expression": "false"}])";
constexpr const char* kController =
    "system:serviceaccount:minicluster-system:minicluster-operator-controller";
constexpr const char* kWebhook =
    "system:serviceaccount:minicluster-system:minicluster-operator-webhook";

class EndOfStage : public ::testing::Environment {
 public:
  void TearDown() override { Stage::get().end(); }
};

[[maybe_unused]] ::testing::Environment* const kEndOfStage =
    ::testing::AddGlobalTestEnvironment(new EndOfStage);

json hello(const std::string& name, const json& spec = json::object()) {
  json object = {
      {"apiVersion", "flux-framework.org/v1alpha2"},
      {"kind", "MiniCluster"},
      {"metadata", {{"name", name}}},
      {"spec",
       {{"size", 2}, {"containers", {{{"image", "ubuntu:24.04"}, {"command", "hostname"}}}}}}};
  object.at("spec").merge_patch(spec);
  return object;
}

std::string objects_text(const std::vector<json>& objects) {
  return json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}}.dump();
}

// A release for each test. The CRD is there before it, and is not Helm's: the stage installed it.
class ReleaseStory : public ::testing::Test {
 protected:
  void SetUp() override {
    Stage::get().without_controller();
    Stage::get().without_webhook();
    must_helm({"install", kRelease, chart(), "--create-namespace", "--take-ownership", "--set-json",
               kNeverAsked});
  }

  void TearDown() override { helm({"uninstall", kRelease, "--ignore-not-found", "--wait"}); }

  void create(const json& object) { kubectl.must({"create", "-f", "-"}, object.dump()); }

  // A kubeconfig with a token of one of the release's ServiceAccounts.
  std::filesystem::path kubeconfig_of(const std::string& account) {
    const std::filesystem::path folder = kubectl.control_plane();
    const std::string token = system.must({"create", "token", account});
    const json config = {
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"current-context", "test"},
        {"contexts", {{{"name", "test"}, {"context", {{"cluster", "test"}, {"user", account}}}}}},
        {"clusters",
         {{{"name", "test"},
           {"cluster", {{"server", server()}, {"certificate-authority", folder / "ca.crt"}}}}}},
        {"users", {{{"name", account}, {"user", {{"token", token.substr(0, token.find('\n'))}}}}}}};
    std::filesystem::path file = folder / ("kubeconfig-" + account);
    std::ofstream(file) << config.dump();
    return file;
  }

  std::string server() const {
    return parse_yaml(read_file(kubectl.kubeconfig()))
        .value()
        .at(0)
        .at("/clusters/0/cluster/server"_json_pointer);
  }

  bool waits_for(const std::string& condition, const std::string& name) const {
    const Outcome outcome =
        kubectl({"wait", "--for=condition=" + condition, "--timeout=30s", "minicluster", name});
    EXPECT_EQ(outcome.code, 0) << outcome.err << Stage::get().controller_log();
    return outcome.code == 0;
  }

  bool can(const std::string& who, std::vector<std::string> what, const Kubectl& where) const {
    what.insert(what.begin(), {"auth", "can-i", "--quiet"});
    what.push_back(std::string("--as=") + who);
    return where(what).code == 0;
  }

  Namespace namespace_{Stage::get().kubectl()};
  const Kubectl& kubectl = namespace_.kubectl();
  const Kubectl system = kubectl.in(kReleaseNamespace);
};

TEST_F(ReleaseStory, ACrdThatIsNotHelmsIsTakenOverWhenAskedTo) {
  must_helm({"uninstall", kRelease, "--wait"});
  system.must({"label", "crd", "miniclusters.flux-framework.org", "app.kubernetes.io/managed-by-"});
  create(hello("before"));
  const Outcome refused = helm({"install", kRelease, chart(), "--set-json", kNeverAsked});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("invalid ownership metadata"));
  must_helm({"install", kRelease, chart(), "--take-ownership", "--set-json", kNeverAsked});
  EXPECT_EQ(kubectl.get({"minicluster", "before"}).at("spec").at("size"), 2);
}

TEST_F(ReleaseStory, UninstallingKeepsMiniClusters) {
  create(hello("kept"));
  const std::string uid = kubectl.get({"minicluster", "kept"}).at("metadata").at("uid");
  const std::string said = must_helm({"uninstall", kRelease, "--wait"});
  EXPECT_THAT(said, HasSubstr("[CustomResourceDefinition] miniclusters.flux-framework.org"));
  EXPECT_EQ(kubectl.get({"minicluster", "kept"}).at("metadata").at("uid"), uid);
  EXPECT_TRUE(system.get({"deployments"}).at("items").empty());
}

TEST_F(ReleaseStory, UpgradeAndRollbackLeaveTheCaBundleAlone) {
  const std::string name = "minicluster-operator-webhook";
  const auto bundle = [&](const std::string& kind) {
    return system.get({kind, name}).value("/webhooks/0/clientConfig/caBundle"_json_pointer, "");
  };
  const std::string ca = run({"base64", "-w0", kubectl.control_plane() / "ca.crt"}).out;
  const json patch = {
      {{"op", "add"}, {"path", "/webhooks/0/clientConfig/caBundle"}, {"value", ca}}};
  const std::vector<std::string> kinds = {"mutatingwebhookconfiguration",
                                          "validatingwebhookconfiguration"};
  for (const std::string& kind : kinds) {
    system.must({"patch", kind, name, "--type=json", "--patch", patch.dump()});
  }
  must_helm({"upgrade", kRelease, chart(), "--reuse-values", "--set", "webhook.timeoutSeconds=5"});
  EXPECT_EQ(system.get({kinds[0], name}).at("/webhooks/0/timeoutSeconds"_json_pointer), 5);
  for (const std::string& kind : kinds) EXPECT_EQ(bundle(kind), ca) << kind;
  must_helm({"rollback", kRelease, "1"});
  EXPECT_EQ(system.get({kinds[0], name}).at("/webhooks/0/timeoutSeconds"_json_pointer), 10);
  for (const std::string& kind : kinds) EXPECT_EQ(bundle(kind), ca) << kind;
}

TEST_F(ReleaseStory, TheApiServerTakesWhatEveryValuesFileRenders) {
  for (const auto& file : values_files()) {
    std::vector<json> objects;
    for (json& object : rendered({"--values", file.string()})) {
      const std::string api = object.at("apiVersion");
      // cert-manager is not there, and the API server looks for the ServiceAccount of a pod.
      if (api.starts_with("cert-manager.io") || object.at("kind") == "Pod") continue;
      const auto space = object.at("metadata").find("namespace");
      if (space != object.at("metadata").end() && *space != kReleaseNamespace) {
        *space = kubectl.namespace_name();
      }
      objects.push_back(std::move(object));
    }
    const Outcome outcome = system({"apply", "--server-side", "--force-conflicts",
                                    "--dry-run=server", "--validate=strict", "-f", "-"},
                                   objects_text(objects));
    EXPECT_EQ(outcome.code, 0) << file << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty()) << file;
  }
}

TEST_F(ReleaseStory, ItsPodsPassTheRestrictedStandard) {
  kubectl.must({"label", "namespace", kubectl.namespace_name(),
                "pod-security.kubernetes.io/enforce=restricted"});
  const auto objects = rendered();
  std::vector<json> specs;
  for (const json& deployment : of_kind(objects, "Deployment")) {
    specs.push_back(deployment.at("/spec/template/spec"_json_pointer));
  }
  specs.push_back(of_kind(objects, "Pod").at(0).at("spec"));
  ASSERT_EQ(specs.size(), 3U);
  for (json& spec : specs) {
    spec["serviceAccountName"] = "default";
    const json pod = {
        {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", "try"}}}, {"spec", spec}};
    kubectl.must({"create", "--dry-run=server", "--validate=strict", "-f", "-"}, pod.dump());
  }
}

// --- rights -------------------------------------------------------------------------------------

TEST_F(ReleaseStory, TheControllersRightsAreEnoughForALife) {
  Stage::get().restart_controller(kubeconfig_of("minicluster-operator-controller"));
  create(hello(
      "life",
      {{"services",
        {{{"image", "redis"}, {"name", "store"}, {"command", "serve"}, {"ports", {6379}}}}}}));
  ASSERT_TRUE(waits_for("ObjectsReady", "life"));
  EXPECT_FALSE(kubectl.get({"pod", "life-services"}).is_null());
  // What was edited or taken away comes back, also where the watch has lost sight of it.
  kubectl.must({"label", "service", "flux-service", "app.kubernetes.io/managed-by-"});
  kubectl.must({"delete", "job", "life", "--wait=false"});
  const std::string selector = "app.kubernetes.io/managed-by=minicluster-operator";
  EXPECT_TRUE(eventually([&] {
    return !kubectl.get({"job", "life"}).is_null() &&
           !kubectl.get({"service", "-l", selector}).at("items").empty();
  }));
  kubectl.must({"scale", "minicluster", "life", "--replicas=1"});
  EXPECT_TRUE(eventually(
      [&] { return at_path(kubectl.get({"job", "life"}), {"spec", "parallelism"}) == 1; }));
  create(hello("over", {{"cleanup", true}}));
  ASSERT_TRUE(waits_for("ObjectsReady", "over"));
  EXPECT_TRUE(eventually([&] { return !kubectl.get({"events"}).at("items").empty(); }));
  EXPECT_THAT(Stage::get().controller_metrics(), Not(HasSubstr("code=\"403\"")));
  EXPECT_THAT(Stage::get().controller_log(), Not(HasSubstr("orbidden")));
}

struct Right {
  std::vector<std::string> what;
  bool there;  // in a namespace of a user
  bool own;    // in the namespace of the release
};

TEST_F(ReleaseStory, TheControllerCanDoThisAndNotThat) {
  const std::string certificate = "secret/minicluster-operator-webhook-certificate";
  const std::string configuration = "minicluster-operator-webhook";
  const std::vector<Right> rights = {
      {{"create", "secrets"}, true, true},
      {{"get", "secrets"}, false, false},
      {{"list", "secrets"}, false, false},
      {{"watch", "secrets"}, false, false},
      {{"update", "secrets"}, false, false},
      {{"patch", "secrets"}, false, false},
      {{"delete", "secrets"}, false, false},
      {{"watch", certificate}, false, true},
      {{"update", certificate}, false, true},
      {{"watch", certificate + "-ca"}, false, true},
      {{"watch", "secret/another"}, false, false},
      {{"delete", certificate}, false, false},
      {{"get", "secret/another"}, false, false},
      {{"create", "pods/exec"}, false, false},
      {{"get", "pods/log"}, false, false},
      {{"patch", "miniclusters"}, false, false},
      {{"update", "miniclusters"}, false, false},
      {{"create", "miniclusters"}, false, false},
      {{"patch", "miniclusters", "--subresource=status"}, true, true},
      {{"update", "miniclusters", "--subresource=finalizers"}, true, true},
      {{"create", "leases"}, false, true},
      {{"update", "lease/minicluster-controller"}, false, true},
      {{"update", "lease/another"}, false, false},
      {{"delete", "configmaps"}, false, false},
      {{"delete", "services"}, false, false},
      {{"patch", "validatingwebhookconfiguration/" + configuration}, true, true},
      {{"patch", "validatingwebhookconfiguration/another"}, false, false},
      {{"create", "validatingwebhookconfigurations"}, false, false},
      {{"list", "nodes"}, false, false},
      {{"list", "namespaces"}, false, false},
      {{"create", "clusterrolebindings"}, false, false},
  };
  for (const auto& [what, there, own] : rights) {
    EXPECT_EQ(can(kController, what, kubectl), there) << what[0] << " " << what[1] << ", a user's";
    EXPECT_EQ(can(kController, what, system), own) << what[0] << " " << what[1] << ", its own";
  }
}

// The lines of `kubectl auth can-i --list`, in the namespace of the release.
std::set<std::string> rights_of(const Kubectl& kubectl, const std::string& who) {
  std::istringstream text(kubectl.must({"auth", "can-i", "--list", "--as=" + who}));
  std::set<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

TEST_F(ReleaseStory, TheWebhookCanDoWhatEverybodyCan) {
  const auto anybody = rights_of(system, "system:serviceaccount:minicluster-system:nobody");
  const auto webhook = rights_of(system, kWebhook);
  EXPECT_EQ(webhook, anybody);
  const auto controller = rights_of(system, kController);
  EXPECT_THAT(controller, IsSupersetOf(anybody));
  std::cout << "What " << kController << " can do in its namespace, beyond what everybody can:\n";
  for (const std::string& line : controller) {
    if (!anybody.contains(line)) std::cout << line << "\n";
  }
}

TEST_F(ReleaseStory, EditorsScaleAndViewersLook) {
  for (const char* role : {"editor", "viewer"}) {
    kubectl.must({"create", "rolebinding", role, std::string("--user=") + role,
                  std::string("--clusterrole=minicluster-operator-") + role});
  }
  EXPECT_TRUE(can("editor", {"patch", "miniclusters", "--subresource=scale"}, kubectl));
  EXPECT_TRUE(can("editor", {"create", "miniclusters"}, kubectl));
  EXPECT_FALSE(can("editor", {"patch", "miniclusters", "--subresource=status"}, kubectl));
  EXPECT_TRUE(can("viewer", {"watch", "miniclusters"}, kubectl));
  EXPECT_FALSE(can("viewer", {"create", "miniclusters"}, kubectl));
  EXPECT_FALSE(can("viewer", {"patch", "miniclusters", "--subresource=scale"}, kubectl));
}

// --- helm test ----------------------------------------------------------------------------------

TEST_F(ReleaseStory, WhatHelmTestRunsTellsWhetherTheWebhookIsAsked) {
  const auto hooks = of_kind(rendered(), "Pod");
  ASSERT_EQ(hooks.size(), 1U);
  const std::string script = container_of({{"spec", {{"template", hooks[0]}}}}).at("args").at(0);
  for (const char* kind : {"ServiceAccount", "Role", "RoleBinding"}) {
    system.must({"create", "-f", "-"}, named(rendered(), kind, "minicluster-operator-test").dump());
  }
  const std::filesystem::path folder = kubectl.control_plane() / "helm-test";
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(kubectl.control_plane() / "ca.crt", folder / "ca.crt",
                             std::filesystem::copy_options::overwrite_existing);
  std::ofstream(folder / "token") << system.must({"create", "token", "minicluster-operator-test"});
  const auto tried = [&](const std::string& timeout) {
    return run({"sh", "-c", script}, {.environment = {{"API_SERVER", server()},
                                                      {"NAMESPACE", kReleaseNamespace},
                                                      {"SERVICE_ACCOUNT", folder},
                                                      {"TIMEOUT", timeout}}});
  };
  const Outcome without = tried("0");
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.out, HasSubstr("a good MiniCluster: expected 201 with \"maxSize\":3"));
  Stage::get().with_webhook();
  const Outcome with = tried("30");
  EXPECT_EQ(with.code, 0) << with.out << with.err;
  EXPECT_EQ(with.out, "A good MiniCluster is accepted and defaulted, a bad one is refused.\n");
  system.must({"delete", "serviceaccount,role,rolebinding", "minicluster-operator-test"});
}

}  // namespace
}  // namespace mc::test
