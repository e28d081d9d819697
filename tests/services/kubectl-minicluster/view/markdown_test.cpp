#include "services/kubectl-minicluster/view/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPage = R"(# Page

| not | below |
| --- | --- |
| a | heading |

## Tables

Text.

| Sign | Remedy |
| --- | --- |
| `a \| b` | one |
| c |  |

- In a list:

  | Sign | Remedy |
  | --- | --- |
  | d | two |

### Still below

## Another

| Sign | Remedy |
| --- | --- |
| e | three |
)";

TEST(Markdown, RowsAreThoseBelowAHeading) {
  EXPECT_THAT(rows_below(kPage, "Tables"),
              ElementsAre(Cells{"`a | b`", "one"}, Cells{"c", ""}, Cells{"d", "two"}));
  EXPECT_THAT(rows_below(kPage, "Nothing"), IsEmpty());
  EXPECT_THAT(rows_below("", "Tables"), IsEmpty());
}

TEST(Markdown, CodeIsBetweenBackquotes) {
  EXPECT_THAT(code_spans("`A` is, `b c`: `d"), ElementsAre("A", "b c"));
}

TEST(Markdown, AsPlainTextItHasNoMarks) {
  EXPECT_EQ(plain("Run `kubectl logs NAME-0-...`, see NAME.", "m"),
            "Run kubectl logs m-0-..., see NAME.");
  EXPECT_EQ(plain("See [pods.md](pods.md#exit-codes), [below](#x), [CI](../.ci/run).", "m"),
            "See docs/pods.md#exit-codes, below, CI.");
  EXPECT_EQ(plain("one ` and [two", "m"), "one ` and [two");
}

}  // namespace
}  // namespace mc::kubectl
