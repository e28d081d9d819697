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

// By namespace; cluster-scoped objects under "". Without objects that this API server cannot check:
// cert-manager and the Prometheus Operator are not installed, and a pod needs a stored
// ServiceAccount.
std::map<std::string, std::vector<json>> judged(std::vector<json> objects) {
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

TEST_F(ChartStory, TheApiServerTakesWhatEveryValuesFileRenders) {
  for (const auto& file : values_files()) {
    for (const auto& [ns, objects] : judged(rendered({"--values", file.string()}))) {
      if (!ns.empty()) system({"create", "namespace", ns});  // it may be there
      const Outcome outcome = system.in(ns.empty() ? kReleaseNamespace : ns)(
          {"apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict",
           "-f", "-"},
          objects_text(objects));
      EXPECT_EQ(outcome.code, 0) << file << "\n" << outcome.err;
      EXPECT_THAT(outcome.err, IsEmpty()) << file;
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
