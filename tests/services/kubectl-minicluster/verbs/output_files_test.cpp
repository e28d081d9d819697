#include "services/kubectl-minicluster/verbs/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/folders.h"
#include "tests/support/messages.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

TEST(OutputOfRun, GoesWhereTheFlagsSay) {
  const test::TemporaryFolder folder;
  const std::string one = folder.path() / "one", two = folder.path() / "two";
  std::ofstream(one) << "of an earlier run";
  const OutputFiles none = test::must(OutputFiles::open("", ""));
  EXPECT_EQ(none.out(), STDOUT_FILENO);
  EXPECT_EQ(none.err(), STDERR_FILENO);
  EXPECT_FALSE(none.is_file());
  const OutputFiles both = test::must(OutputFiles::open(one, ""));
  EXPECT_EQ(both.out(), both.err());
  EXPECT_TRUE(both.is_file());
  EXPECT_EQ(test::text_of(one), "");
  const OutputFiles same = test::must(OutputFiles::open(one, one));
  EXPECT_EQ(same.out(), same.err());
  const OutputFiles each = test::must(OutputFiles::open(one, two));
  EXPECT_NE(each.out(), each.err());
  const OutputFiles errors = test::must(OutputFiles::open("", two));
  EXPECT_EQ(errors.out(), STDOUT_FILENO);
  EXPECT_NE(errors.err(), STDERR_FILENO);
  EXPECT_FALSE(errors.is_file());
}

TEST(OutputOfRun, AFileThatCannotBeWrittenIsAnError) {
  const auto told = [](const std::string& output, const std::string& error) {
    const std::string message = OutputFiles::open(output, error).error().message;
    test::collect_errors("Errors of kubectl minicluster", "error: " + message);
    return message;
  };
  EXPECT_THAT(told("/no/folder/out", ""),
              HasSubstr("cannot write to /no/folder/out: No such file"));
  EXPECT_THAT(told("", "/"), HasSubstr("cannot write to /: "));
  EXPECT_THAT(told("out.%j", ""), HasSubstr("patterns such as %j are not supported"));
}

}  // namespace
}  // namespace mc::kubectl
