#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/charts/minicluster-operator/release.h"

// The API server accepts the rendered chart, by dry run.
namespace mc::test {
namespace {

using ::testing::IsEmpty;

std::string objects_text(const std::vector<json>& objects) {
  return json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}}.dump();
}

// Cluster-scoped objects under "". Without objects that this API server cannot check:
// cert-manager and the Prometheus Operator are not installed, and a pod needs a stored
// ServiceAccount.
std::map<std::string, std::vector<json>> by_namespace(std::vector<json> objects) {
  std::map<std::string, std::vector<json>> out;
  for (json& object : objects) {
    const std::string version = object.at("apiVersion");
    if (version.starts_with("cert-manager.io/")) continue;
    if (version.starts_with("monitoring.coreos.com/")) continue;
    if (object.at("kind") == "Pod") continue;
    const std::string ns = object.at("metadata").value("namespace", "");
    out[ns].push_back(std::move(object));
  }
  return out;
}

// The arguments are those of rendered().
void expect_taken(const Kubectl& system, const std::vector<std::string>& arguments) {
  for (const auto& [ns, objects] : by_namespace(rendered(arguments))) {
    if (!ns.empty()) system({"create", "namespace", ns});  // it may be there
    const Outcome outcome = system.in(ns.empty() ? kReleaseNamespace : ns)(
        {"apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict",
         "-f", "-"},
        objects_text(objects));
    EXPECT_EQ(outcome.code, 0) << arguments.back() << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty()) << arguments.back();
  }
}

TEST_F(ChartStory, TheApiServerTakesWhatEveryValuesFileRenders) {
  for (const auto& file : values_files()) expect_taken(system, {"--values", file.string()});
}

TEST_F(ChartStory, TheApiServerTakesNamesOfDigits) { expect_taken(system, names_of_digits()); }

// The given names are 7 and 2001 to 2024; no other number in the chart is one of these.
void expect_no_name_is_a_number(const json& value, const std::string& path) {
  if (value.is_number()) {
    EXPECT_TRUE(value != 7 && (value < 2001 || value > 2024)) << path << ": " << value;
  }
  if (!value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    expect_no_name_is_a_number(member, path + "/" + key);
  }
}

// Also in the objects of cert-manager and of the Prometheus Operator, which the tests' API server
// does not know.
TEST(Chart, NamesOfDigitsRemainTexts) {
  for (const char* mode : {"self", "certManager", "provided"}) {
    std::vector<std::string> arguments = names_of_digits();
    arguments.insert(arguments.end(),
                     {"--set-string", std::string("webhook.certificate.mode=") + mode +
                                          ",webhook.certificate.caBundle=2012"});
    for (const json& object : rendered(arguments)) {
      if (object.at("kind") == "CustomResourceDefinition") continue;
      expect_no_name_is_a_number(object, object.at("kind"));
    }
  }
}

TEST_F(ChartStory, ItsPodsPassTheRestrictedStandard) {
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

}  // namespace
}  // namespace mc::test
