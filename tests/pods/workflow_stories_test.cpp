#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/pods/story.h"
#include "tests/support/python_packages.h"

// Workflow tools as their users run them, unmodified, as the command of a MiniCluster of four pods.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;

class Workflows : public WithFlux {
 protected:
  static void SetUpTestSuite() {
    if (flux_folder().empty()) return;
    tools_ = test::python_packages("workflows", folder(), {"build.txt", "requirements.txt"});
  }

  // Runs a script on the lead, in a folder that all pods share. Returns the log of the lead.
  std::string run(const std::string& script) {
    Node node;
    for (const std::filesystem::path& mounted : {std::filesystem::path(tools_), folder()}) {
      node.machine().mounts.push_back({mounted, mounted, true});
    }
    Pods pods(node, launcher(node, "export HOME=/data PATH=" + tools_ + "/bin:$PATH; cd /data; " +
                                       script));
    EXPECT_TRUE(end_with(pods, {0}));
    return pods.log(0);
  }

  static std::filesystem::path folder() { return test::source_dir() / "tests/pods/workflows"; }

  inline static std::string tools_;
};

// A workflow that Snakemake brings along to test its executors.
TEST_F(Workflows, SnakemakesOwnExampleRunsWithItsExecutorForFlux) {
  const std::string log =
      run("cp -r " + tools_ +
          "/lib/python3*/site-packages/snakemake/common/tests/testcases/groups . && cd groups && "
          "snakemake --jobs 4 --executor flux --seconds-between-status-checks 1 2>&1 && ls && "
          "flux jobs -ano {status},{nodelist}");
  EXPECT_THAT(log, HasSubstr("8 of 8 steps (100%) done"));
  EXPECT_THAT(log, HasSubstr("\ntest3.out\n"));
  EXPECT_EQ(count(log, "\nCOMPLETED,flux-sample-"), 4) << log;
}

TEST_F(Workflows, MaestroRunsItsStepsAsJobs) {
  const std::string log =
      run("maestro run -fg -y -s 1 " + (folder() / "study.yaml").string() +
          " 2>&1 && cat out/*/greet/*/greeting.txt && echo count $(cat out/*/count/count.txt) && "
          "flux jobs -ano {status},{name},{nodelist}");
  for (const char* person : {"Ada", "Edsger", "Grace", "Kurt"}) {
    EXPECT_THAT(log, HasSubstr(std::string("hello ") + person + " from flux-sample-"));
  }
  EXPECT_THAT(log, HasSubstr("count 4\n"));
  EXPECT_EQ(count(log, "\nCOMPLETED,"), 5) << log;
}

TEST_F(Workflows, ParslsOwnTestsOfItsExecutorForFluxPass) {
  const std::string log = run("python -m pytest -q -p no:cacheprovider --config local " + tools_ +
                              "/lib/python3*/site-packages/parsl/tests/test_flux.py 2>&1");
  EXPECT_THAT(log, HasSubstr("\n10 passed"));
}

TEST_F(Workflows, ParslUsesAllPodsWithTheCommandThatTheDocumentationNames) {
  const std::string log = run("python " + (folder() / "hosts.py").string());
  EXPECT_THAT(log, HasSubstr("flux-sample-0 flux-sample-1 flux-sample-2 flux-sample-3\n"));
}

}  // namespace
}  // namespace mc::pods
