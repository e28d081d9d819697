#include "services/kubectl-minicluster/verbs/verb.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace mc::kubectl {
namespace {

TEST(PrintLines, OnAFullDiskIsAnError) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  EXPECT_EQ(print_lines({"one"}, {.out = full, .err = err}), kFailed);
  EXPECT_EQ(err.str(), "error: cannot write the output: No space left on device\n");
}

}  // namespace
}  // namespace mc::kubectl
