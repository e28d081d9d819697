#include "tests/integration/story.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"
#include "tests/support/python_packages.h"

// The public Python SDK of the API, unmodified.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

class PythonSdk : public ClusterStory {
 protected:
  Outcome run_script(const std::string& script, const std::vector<std::string>& arguments) const {
    const auto folder = source_dir() / "tests/integration/sdk";
    const std::string venv = python_packages("sdk", folder, {"requirements.txt"});
    std::vector<std::string> command = {venv + "/bin/python", folder / script};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run(command);
  }
};

// It asks for no field validation, so the unknown field is told and not refused.
TEST_F(PythonSdk, CreatesAMiniClusterAlthoughItKnowsAFieldThatKubernetesDoesNot) {
  const Outcome made =
      run_script("create.py", {kubectl.kubeconfig(), kubectl.namespace_name(), "from-python"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(has_condition(kubectl, "from-python", "ObjectsReady", "True"));
  const json conditions = kubectl.get({"minicluster", "from-python"})["status"]["conditions"];
  EXPECT_THAT(conditions.dump(), HasSubstr("\"UnknownField\""));
  EXPECT_THAT(conditions.dump(), HasSubstr("spec.containers[0].securityContext.addCapabilities"));
}

}  // namespace
}  // namespace mc::test
