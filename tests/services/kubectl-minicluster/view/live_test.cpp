#include "services/kubectl-minicluster/view/live.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;

TEST(Live, LinesTakeThePlaceOfThoseBefore) {
  EXPECT_EQ(redraw({"a", "b"}, 0), "\ra\033[K\n\rb\033[K\n\033[J");
  EXPECT_EQ(redraw({"c"}, 2), "\033[2A\rc\033[K\n\033[J");
  EXPECT_EQ(redraw({}, 1), "\033[1A\033[J");
}

TEST(Live, WhatDoesNotFitIsCounted) {
  EXPECT_THAT(fitting({"a", "b", "c"}, 4), ElementsAre("a", "b", "c"));
  EXPECT_THAT(fitting({"a", "b", "c", "d"}, 4), ElementsAre("a", "b", "... and 2 more"));
}

}  // namespace
}  // namespace mc::kubectl
