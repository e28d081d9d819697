#include "tests/support/helm.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/kubectl.h"
#include "tests/support/programs.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

// Built on first use: the stories on a node cannot download anything.
const std::string& program_of(Helm version) {
  if (version == Helm::k3) {
    static const std::string helm3 = built_program("helm");
    return helm3;
  }
  static const std::string helm4 = built_program("helm4");
  return helm4;
}

std::vector<std::string> command_of(std::vector<std::string> arguments, Helm version) {
  const Kubectl kubectl = Kubectl::from_environment();
  arguments.insert(arguments.begin(),
                   {program_of(version), "--kubeconfig=" + kubectl.kubeconfig().string(),
                    std::string("--namespace=") + kReleaseNamespace});
  return arguments;
}

ProcessOptions options() {
  const std::string home = Kubectl::from_environment().control_plane() / "home";
  return {.input = "",
          .environment = {{"HOME", home},
                          {"HELM_CACHE_HOME", home + "/helm-cache"},
                          {"HELM_CONFIG_HOME", home + "/helm-config"},
                          {"HELM_DATA_HOME", home + "/helm-data"}}};
}

}  // namespace

void write_chart(const std::filesystem::path& folder, const json& object) {
  std::filesystem::create_directories(folder / "templates");
  std::ofstream(folder / "Chart.yaml") << "apiVersion: v2\nname: user\nversion: 0.0.1\n";
  std::ofstream(folder / "templates/object.yaml") << object;
}

std::filesystem::path chart() { return source_dir() / "charts/minicluster-operator"; }

Outcome helm(const std::vector<std::string>& arguments, Helm version) {
  return run(command_of(arguments, version), options());
}

std::unique_ptr<Process> start_helm(const std::vector<std::string>& arguments, Helm version) {
  return std::make_unique<Process>(command_of(arguments, version), options());
}

std::string must_helm(const std::vector<std::string>& arguments, Helm version) {
  const Outcome outcome = helm(arguments, version);
  EXPECT_EQ(outcome.code, 0) << describe(arguments, outcome);
  return outcome.out;
}

}  // namespace mc::test
