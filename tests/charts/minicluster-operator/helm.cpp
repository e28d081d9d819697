#include "tests/charts/minicluster-operator/helm.h"

#include <gtest/gtest.h>

#include "common/base/yaml.h"
#include "tests/support/kubectl.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

constexpr std::chrono::minutes kBuild{10};

std::string program(const std::string& name) {
  const Outcome built = run({source_dir() / "tests/control_plane/build.sh", name}, {}, kBuild);
  EXPECT_EQ(built.code, 0) << built.err;
  return built.out.substr(0, built.out.find('\n'));
}

Outcome run_helm(const std::string& path, std::vector<std::string> arguments) {
  const Kubectl kubectl = Kubectl::from_environment();
  arguments.insert(arguments.begin(), {path, "--kubeconfig=" + kubectl.kubeconfig().string(),
                                       std::string("--namespace=") + kReleaseNamespace});
  const std::string home = kubectl.control_plane() / "home";
  return run(arguments, {.input = "",
                         .environment = {{"HOME", home},
                                         {"HELM_CACHE_HOME", home + "/helm-cache"},
                                         {"HELM_CONFIG_HOME", home + "/helm-config"},
                                         {"HELM_DATA_HOME", home + "/helm-data"}}});
}

}  // namespace

std::filesystem::path chart() { return source_dir() / "charts/minicluster-operator"; }

std::filesystem::path values_file(const std::string& name) {
  return source_dir() / "tests/charts/minicluster-operator/values" / (name + ".yaml");
}

std::vector<std::filesystem::path> values_files() {
  return yaml_files(source_dir() / "tests/charts/minicluster-operator/values");
}

Outcome helm(const std::vector<std::string>& arguments, Helm version) {
  static const std::string helm3 = program("helm"), helm4 = program("helm4");
  return run_helm(version == Helm::k3 ? helm3 : helm4, arguments);
}

std::string must_helm(const std::vector<std::string>& arguments, Helm version) {
  const Outcome outcome = helm(arguments, version);
  EXPECT_EQ(outcome.code, 0) << describe(arguments, outcome);
  return outcome.out;
}

std::vector<json> rendered(const std::vector<std::string>& arguments, Helm version) {
  std::vector<std::string> command = {"template", kRelease, chart()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto objects = parse_yaml(must_helm(command, version));
  EXPECT_TRUE(objects) << objects.error().message;
  return objects.value_or(std::vector<json>());
}

std::vector<json> of_kind(const std::vector<json>& objects, const std::string& kind) {
  std::vector<json> out;
  for (const json& object : objects) {
    if (object.at("kind") == kind) out.push_back(object);
  }
  return out;
}

json named(const std::vector<json>& objects, const std::string& kind, const std::string& name) {
  for (const json& object : objects) {
    if (object.at("kind") == kind && object.at("metadata").at("name") == name) return object;
  }
  return nullptr;
}

json container_of(const json& deployment) {
  return deployment.at("/spec/template/spec/containers/0"_json_pointer);
}

}  // namespace mc::test
