#include <gtest/gtest.h>

#include "tests/services/controller/render/pod_dir.h"

namespace mc::test {
namespace {

TEST(Scripts, AreCleanForShellcheck) {
  const std::string root = MINICLUSTER_SOURCE_DIR;
  const Outcome outcome = run_shell("cd " + root +
                                        " && exec shellcheck services/controller/scripts/*.sh "
                                        "tests/services/controller/render/*.sh",
                                    {});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace mc::test
