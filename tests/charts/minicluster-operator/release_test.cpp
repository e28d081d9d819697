#include "tests/charts/minicluster-operator/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/base/base64.h"
#include "common/base/yaml.h"
#include "tests/support/eventually.h"

// The life of a release on a real API server.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kConfigurations = {"mutatingwebhookconfiguration",
                                                  "validatingwebhookconfiguration"};
constexpr const char* kCrdFile = "files/crds/flux-framework.org_miniclusters.yaml";
constexpr const char* kBefore = "0.0.9";
constexpr const char* kColumnBefore = "How many pods are asked for";

std::string replaced_once(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

class ReleaseLife : public ChartStory {
 protected:
  // An archive of the chart as an earlier version, with images of that version and an older CRD.
  std::filesystem::path package_of_before() const {
    const std::filesystem::path folder = kubectl.control_plane() / "chart-before";
    std::filesystem::remove_all(folder);
    std::filesystem::copy(chart(), folder, std::filesystem::copy_options::recursive);
    const std::filesystem::path crd = folder / kCrdFile;
    const std::string text = replaced_once(read_file(crd), "Desired number of pods", kColumnBefore);
    std::ofstream(crd) << text;
    must_helm({"package", folder, "--version", kBefore, "--app-version", kBefore, "--destination",
               kubectl.control_plane()});
    return kubectl.control_plane() / (std::string(kRelease) + "-" + kBefore + ".tgz");
  }

  // Writes a caBundle, as the controller does after it has signed a certificate.
  void write_ca_bundle() const {
    const json patch = {
        {{"op", "add"}, {"path", "/webhooks/0/clientConfig/caBundle"}, {"value", bundle_}}};
    for (const std::string& kind : kConfigurations) {
      system.patch(kind, kWebhookAccount, patch, {"--field-manager=minicluster-controller"});
    }
  }

  void expect_ca_bundle() const {
    for (const std::string& kind : kConfigurations) {
      const json there = system.get({kind, kWebhookAccount});
      EXPECT_EQ(there.value("/webhooks/0/clientConfig/caBundle"_json_pointer, ""), bundle_) << kind;
    }
  }

  void expect_timeout(int seconds) const {
    for (const std::string& kind : kConfigurations) {
      const json there = system.get({kind, kWebhookAccount});
      EXPECT_EQ(there.at("/webhooks/0/timeoutSeconds"_json_pointer), seconds) << kind;
    }
  }

  void expect_version(const std::string& version) const {
    const json deployments = system.get({"deployments"}).at("items");
    EXPECT_EQ(deployments.size(), 2U);
    for (const json& deployment : deployments) {
      EXPECT_THAT(container_of(deployment).at("image").get<std::string>(),
                  ::testing::EndsWith(":" + version));
    }
  }

  std::string column() const {
    return system.get({"crd", kCrd})
        .at("/spec/versions/0/additionalPrinterColumns/0/description"_json_pointer);
  }

 private:
  const std::string bundle_ = base64(read_file(kubectl.control_plane() / "ca.crt"));
};

std::string version_of_now() {
  return parse_yaml(read_file(chart() / "Chart.yaml")).value().at(0).at("appVersion");
}

TEST_F(ReleaseLife, UpgradeAndRollbackChangeProgramsAndCrdAndLoseNothing) {
  install({}, package_of_before());
  create(minicluster("kept"));
  const std::string kept = uid("kept");
  write_ca_bundle();
  expect_version(kBefore);
  EXPECT_EQ(column(), kColumnBefore);

  must_helm({"upgrade", kRelease, chart(), "--reuse-values", "--set", "webhook.timeoutSeconds=5"});
  expect_version(version_of_now());
  EXPECT_EQ(column(), "Desired number of pods");
  expect_timeout(5);
  expect_ca_bundle();

  must_helm({"rollback", kRelease, "1"});
  expect_version(kBefore);
  EXPECT_EQ(column(), kColumnBefore);
  expect_timeout(10);
  expect_ca_bundle();
  EXPECT_EQ(uid("kept"), kept);
}

TEST_F(ReleaseLife, UninstallingKeepsMiniClustersAndInstallingAgainFindsThem) {
  install();
  create(minicluster("kept"));
  const std::string kept = uid("kept");
  const std::string said = must_helm({"uninstall", kRelease, "--wait"});
  EXPECT_THAT(said, HasSubstr("[CustomResourceDefinition] " + kCrd));
  EXPECT_EQ(uid("kept"), kept);
  EXPECT_TRUE(system.get({"deployments"}).at("items").empty());
  const json left =
      system.get({"clusterroles,clusterrolebindings,mutatingwebhookconfigurations,"
                  "validatingwebhookconfigurations",
                  "-l", std::string("app.kubernetes.io/instance=") + kRelease});
  EXPECT_TRUE(left.at("items").empty()) << left;
  must_helm({"install", kRelease, chart(), "--set-json", kNeverAsked});
  EXPECT_EQ(uid("kept"), kept);
}

// --- Helm 4 -------------------------------------------------------------------------------------

TEST_F(ReleaseLife, ServerSideApplyDoesNotFightTheRenewalOfTheCertificate) {
  must_helm({"install", kRelease, chart(), "--take-ownership", "--force-conflicts", "--set-json",
             kNeverAsked},
            Helm::k4);
  write_ca_bundle();
  must_helm({"upgrade", kRelease, chart(), "--reuse-values", "--set", "webhook.timeoutSeconds=5"},
            Helm::k4);
  expect_timeout(5);
  expect_ca_bundle();
  must_helm({"rollback", kRelease, "1"}, Helm::k4);
  expect_timeout(10);
  expect_ca_bundle();
}

TEST_F(ReleaseLife, AReleaseOfHelm3GoesOverToServerSideApply) {
  install();
  write_ca_bundle();
  must_helm({"upgrade", kRelease, chart(), "--server-side=true", "--force-conflicts",
             "--reuse-values", "--set", "webhook.timeoutSeconds=5"},
            Helm::k4);
  expect_timeout(5);
  expect_ca_bundle();
}

// --- over the public operator's CRD -------------------------------------------------------------

void strip(json& node) {
  if (node.is_object()) {
    node.erase("default");
    node.erase("x-kubernetes-validations");
  }
  if (node.is_structured()) {
    for (json& member : node) strip(member);
  }
}

// Our CRD as a generator would write it: only types.
json generated_crd() {
  json crd = parse_yaml(read_file(chart() / kCrdFile)).value().at(0);
  json& version = crd.at("/spec/versions/0"_json_pointer);
  version.erase("additionalPrinterColumns");
  crd.at("spec").at("names").erase("shortNames");
  strip(version.at("schema"));
  crd["metadata"]["annotations"] = {{"controller-gen.kubebuilder.io/version", "v0.19.0"}};
  return crd;
}

struct TakeOver {
  Helm helm;
  std::vector<std::string> flags;
};

class TakenOver : public ReleaseLife, public ::testing::WithParamInterface<TakeOver> {
 protected:
  // Replaces our CRD by another operator's, with a MiniCluster that has its status.
  void install_other_crd() {
    system.must({"delete", "crd", kCrd});
    system.must({"apply", "-f", "-"}, generated_crd().dump());
    const std::string object =
        minicluster("before", {{"flux", {{"container", {{"image", ""}}}}}, {"interactive", false}})
            .dump();
    ASSERT_TRUE(eventually([&] { return kubectl({"create", "-f", "-"}, object).code == 0; }));
    const json status = {{"jobid", "before"},
                         {"maximumSize", 2},
                         {"selector", "hpa-selector=before"},
                         {"size", 2},
                         {"conditions", json::array()}};
    kubectl.patch("minicluster", "before", {{"status", status}}, {"--subresource=status"});
  }
};

TEST_P(TakenOver, IsTheCrdOfAnotherOperatorWithItsMiniClusters) {
  install_other_crd();
  const std::string before = uid("before");
  std::vector<std::string> command = {"install", kRelease, chart(), "--set-json", kNeverAsked};
  const Outcome refused = helm(command, GetParam().helm);
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("invalid ownership metadata"));
  EXPECT_TRUE(system.get({"deployments"}).at("items").empty());

  command.insert(command.end(), GetParam().flags.begin(), GetParam().flags.end());
  must_helm(command, GetParam().helm);
  EXPECT_EQ(uid("before"), before);
  // Our defaults and rules apply as soon as the API server has loaded them, and the MiniCluster is
  // valid.
  const auto there = [&] { return kubectl.get({"minicluster", "before"}); };
  EXPECT_TRUE(eventually([&] { return there().at("spec").contains("deadlineSeconds"); }));
  EXPECT_EQ(there().at("status").at("selector"), "hpa-selector=before");
  kubectl.must({"replace", "--validate=strict", "-f", "-"}, there().dump());
  kubectl.must({"scale", "minicluster", "before", "--replicas=1"});
  Stage::get().with_controller();
  kubectl.must({"wait", "--for=condition=ObjectsReady", "--timeout=30s", "minicluster", "before"});
  EXPECT_EQ(kubectl.get({"job", "before"}).at("spec").at("completions"), 1);
}

// Server-side apply knows the CRD's earlier field manager, and is forced to win.
INSTANTIATE_TEST_SUITE_P(
    ReleaseLife, TakenOver,
    ::testing::Values(TakeOver{Helm::k3, {"--take-ownership"}},
                      TakeOver{Helm::k4, {"--take-ownership", "--force-conflicts"}}),
    [](const auto& row) { return row.param.helm == Helm::k3 ? "ByHelm3" : "ByHelm4"; });

}  // namespace
}  // namespace mc::test
