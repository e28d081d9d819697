#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "services/kubectl-minicluster/app/options.h"
#include "tests/support/folders.h"
#include "tests/support/must.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

struct Ended {
  int code;
  std::string out, err;
};

Ended run_verb(const char* verb, const char* file) {
  const std::string path = test::source_dir() / file;
  const std::vector<const char*> arguments = {"kubectl-minicluster", verb, "-f", path.c_str()};
  const Options options =
      test::must(parse_options(static_cast<int>(arguments.size()), arguments.data()));
  std::ostringstream out, err;
  const int code = options.verb({.cluster = options.cluster, .terminal = {.out = out, .err = err}});
  return {code, out.str(), err.str()};
}

TEST(CheckVerb, AnswersAsAdmissionDoes) {
  const Ended ended = run_verb("check", "examples/hello-world.yaml");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("MiniCluster \"hello-world\" accepted"));
}

TEST(RenderVerb, PrintsTheObjects) {
  const Ended ended = run_verb("render", "examples/hello-world.yaml");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("kind: Job"));
}

}  // namespace
}  // namespace mc::kubectl
