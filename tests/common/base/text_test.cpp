#include "common/base/text.h"

#include <gtest/gtest.h>

namespace mc {
namespace {

TEST(Trimmed, TakesSpacesOffBothEndsAndLeavesThoseBetween) {
  EXPECT_EQ(trimmed("\t a b \r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Trimmed, TakesOffNothingButTheGivenSpaces) {
  EXPECT_EQ(trimmed("\va\v"), "\va\v");
  EXPECT_EQ(trimmed(" .a. ", "."), " .a. ");
  EXPECT_EQ(trimmed("..a.b.", "."), "a.b");
}

TEST(Joined, HasTheSeparatorBetweenEachTwo) {
  EXPECT_EQ(joined({}, ", "), "");
  EXPECT_EQ(joined({"a"}, ", "), "a");
  EXPECT_EQ(joined({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(joined({"", "", "c"}, ","), ",,c") << "an empty part is one, too";
}

TEST(NormalPath, IsThatOfTheSameFile) {
  EXPECT_EQ(normal_path("/data"), "/data");
  EXPECT_EQ(normal_path("//data///a/"), "/data/a");
  EXPECT_EQ(normal_path("/./data/a/../b/."), "/data/b");
  EXPECT_EQ(normal_path("/../..data/..."), "/..data/...");
  for (const char* root : {"", "/", "//", "/.", "/a/..", "/../.."})
    EXPECT_EQ(normal_path(root), "/");
}

TEST(OneLine, HasASpaceForEachControlCharacter) {
  EXPECT_EQ(one_line("a\nb\tc\x1b[1m\x7f"), "a b c [1m ");
  EXPECT_EQ(one_line("a\u009b1mb\u00a0\u00e9"), "a  1mb\u00a0\u00e9");
}

TEST(UnixLines, HaveNoCarriageReturnAtTheirEnds) {
  EXPECT_EQ(unix_lines("set -e\r\necho\r\n"), "set -e\necho\n");
  EXPECT_EQ(unix_lines("a\r"), "a");
  EXPECT_EQ(unix_lines("a\rb\r\r\n"), "a\rb\r\n") << "only one is of the line's end";
  EXPECT_EQ(unix_lines("a\nb\n"), "a\nb\n");
  EXPECT_EQ(unix_lines(""), "");
}

}  // namespace
}  // namespace mc
