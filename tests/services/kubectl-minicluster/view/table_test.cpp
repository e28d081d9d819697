#include "services/kubectl-minicluster/view/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;

const std::vector<Row> kRows = {{{"NAME"}, {"WHY"}, {"LEFT"}},
                                {{"größe"}, {"a\033[2Jb", Tint::Bad}, {""}},
                                {{"x"}, {""}, {"5s"}}};

TEST(Table, ColumnsAreAsWideAsTheirTexts) {
  EXPECT_THAT(lines_of(kRows, {}),
              ElementsAre("NAME    WHY      LEFT", "größe   a [2Jb", "x                5s"));
}

TEST(Table, ALineThatIsTooLongLosesItsEnd) {
  EXPECT_THAT(lines_of(kRows, {.columns = 12}),
              ElementsAre("NAME    W...", "größe   a...", "x        ..."));
  EXPECT_THAT(lines_of(kRows, {.columns = 2}), ElementsAre("..", "..", ".."));
}

TEST(Table, TheWidestColumnsBecomeNarrowerFirst) {
  const std::string twenty(20, 'n');
  EXPECT_THAT(lines_of({{{"NAME"}, {"LEFT"}}, {{twenty}, {"5s"}}}, {.columns = 22}),
              ElementsAre("NAME              LEFT", "nnnnnnnnnnnn...   5s"));
}

TEST(Table, ColoursTakeNoSpace) {
  EXPECT_THAT(lines_of(kRows, {.columns = 14, .colours = true}),
              ElementsAre("NAME    WHY...", "größe   \033[31ma [2Jb\033[0m", "x          ..."));
}

TEST(Table, LaterLinesKeepTheWidthsOfEarlierOnes) {
  const Widths widths = widened(widened({}, kRows), {{{"longest"}}});
  EXPECT_EQ(line_of({{"a"}, {"b"}}, widths, {}), "a         b");
}

TEST(Table, LinesTakeThePlaceOfThoseBefore) {
  EXPECT_EQ(redraw({"a", "b"}, 0), "\ra\033[K\n\rb\033[K\n\033[J");
  EXPECT_EQ(redraw({"c"}, 2), "\033[2A\rc\033[K\n\033[J");
  EXPECT_EQ(redraw({}, 1), "\033[1A\033[J");
}

TEST(Table, WhatDoesNotFitIsCounted) {
  EXPECT_THAT(fitting({"a", "b", "c"}, 4), ElementsAre("a", "b", "c"));
  EXPECT_THAT(fitting({"a", "b", "c", "d"}, 4), ElementsAre("a", "b", "... and 2 more"));
}

TEST(CutShort, CountsCharacters) {
  EXPECT_EQ(cut_short("größe", 5), "größe");
  EXPECT_EQ(cut_short("größer", 5), "gr...");
  EXPECT_EQ(cut_short("größer", 1), ".");
  EXPECT_EQ(cut_short("", 0), "");
}

}  // namespace
}  // namespace mc::kubectl
