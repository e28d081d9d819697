#include "tests/support/helm.h"

#include <gtest/gtest.h>

#include "tests/support/kubectl.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

constexpr std::chrono::minutes kBuild{10};

std::string program(const std::string& name) {
  const std::string out =
      must_run({source_dir() / "tests/control_plane/build.sh", name}, {}, kBuild);
  return out.substr(0, out.find('\n'));
}

// Built on first use: the stories on a node cannot download anything.
const std::string& program_of(Helm version) {
  if (version == Helm::k3) {
    static const std::string helm3 = program("helm");
    return helm3;
  }
  static const std::string helm4 = program("helm4");
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
