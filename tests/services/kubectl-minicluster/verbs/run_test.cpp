#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "common/base/arguments.h"
#include "services/kubectl-minicluster/app/options.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

struct Said {
  int code = -1;
  std::string out, err;
};

// A verb that needs no cluster.
Said said(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kubectl-minicluster");
  const auto options = parse_options(static_cast<int>(arguments.size()), arguments.data());
  if (!options) return {options.error().code, "", options.error().text};
  std::ostringstream out, err;
  const int code = options->verb({options->cluster, {.out = out, .err = err}});
  return {code, out.str(), err.str()};
}

TEST(Run, DashNIsTheNumberOfTasksAndTheNamespaceStandsBeforeTheVerb) {
  const Said dry = said({"-n", "team", "run", "x", "--image=i:1", "-N4", "-n", "16", "--env", "A=1",
                         "--env=B=2", "--set=spec.flux.minimalService=true", "--dry-run", "--",
                         "lmp", "-n", "1", "--", "-N"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.err, "");
  EXPECT_EQ(dry.out, R"(apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: x
  namespace: team
spec:
  containers:
  - command: lmp -n 1 -- -N
    environment:
      A: "1"
      B: "2"
    image: i:1
  flux:
    minimalService: true
  logging:
    quiet: true
  size: 4
  tasks: 16
)");
}

TEST(Run, ADryRunSaysWhatAdmissionWouldRefuse) {
  const Said dry = said({"run", "x", "--image", "i:1", "--set", "spec.tasks=-1", "--set",
                         "spec.minSize=9", "--dry-run", "--", "id"});
  EXPECT_EQ(dry.code, 1);
  EXPECT_THAT(dry.out, HasSubstr("minSize: 9"));
  EXPECT_EQ(dry.err,
            "The MiniCluster \"x\" is invalid:\n"
            "* spec.minSize: Invalid value: 9: must be less than or equal to spec.size (1)\n"
            "* spec.tasks: Invalid value: -1: must be greater than or equal to 0 (0: one task for "
            "each node)\n");
}

TEST(Run, AMistakeIsAUsageErrorAndNothingIsPrinted) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"run", "--image=i:1"},
           {"run", "--", "id"},
           {"run", "--image=i:1", "-N", "0", "--", "id"},
           {"run", "--image=i:1", "-n", "many", "--", "id"},
           {"run", "--image=i:1", "--set", "spec.flx=1", "--", "id"},
           {"run", "--image=i:1", "--env", "A", "--", "id"},
           {"run", "--image=i:1", "--rm", "--detach", "--", "id"},
           {"run", "x", "id", "--image=i:1"},
           {"wait"},
           {"wait", "x", "--for=happy"},
           {"wait", "x", "--timeout=5"}}) {
    const Said mistake = said(arguments);
    EXPECT_EQ(mistake.code, kUsageError) << mistake.err;
    EXPECT_EQ(mistake.out, "");
    EXPECT_NE(mistake.err, "");
  }
}

TEST(Run, AFileIsNamedWithWhatIsWrongInIt) {
  EXPECT_EQ(said({"run", "-f", "/nonexistent"}).code, kFailed);
  const test::TemporaryFolder folder;
  const std::string file = folder.path() / "x.yaml";
  std::ofstream(file) << "{apiVersion: v1, kind: Pod}";
  EXPECT_EQ(said({"run", "-f", file.c_str()}).err,
            "error: " + file + ": expected one MiniCluster and nothing else\n");
  std::ofstream(file) << "{apiVersion: flux-framework.org/v1alpha2, kind: MiniCluster, metadata: "
                         "{name: a, namespace: b}, spec: {containers: [{image: x:1}]}}";
  EXPECT_EQ(said({"--namespace=c", "run", "-f", file.c_str(), "--dry-run", "--", "id"}).err,
            "error: the namespace of the file, b, is not that of --namespace\n");
  EXPECT_THAT(said({"run", "-f", file.c_str(), "--dry-run", "--", "id"}).out,
              HasSubstr("namespace: b"));
}

}  // namespace
}  // namespace mc::kubectl
