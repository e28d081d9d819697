#include <gtest/gtest.h>

#include "tests/common/render/pod_dir.h"
#include "tests/support/folders.h"

namespace mc::test {
namespace {

TEST(Scripts, AreCleanForShellcheck) {
  const std::string root = test::source_dir();
  const Outcome outcome = run_shell("cd " + root +
                                        " && exec shellcheck common/render/scripts/*.sh "
                                        "tests/common/render/*.sh",
                                    {});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace mc::test
