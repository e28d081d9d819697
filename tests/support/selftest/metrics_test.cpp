#include "tests/support/metrics.h"

#include <gtest/gtest.h>

namespace mc::test {
namespace {

constexpr const char* kText = R"(# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{code="200",method="GET"} 3
calls_total{code="201",method="POST"} 4
calls_total_other 100
passes 2.5
)";

TEST(Metrics, AFamilyIsSummedOverItsSeries) {
  EXPECT_EQ(sum_of(kText, "calls_total"), 7);
  EXPECT_EQ(sum_of(kText, "passes"), 2.5);
}

TEST(Metrics, ALabelChoosesSeries) {
  EXPECT_EQ(sum_of(kText, "calls_total", R"(method="POST")"), 4);
}

TEST(Metrics, WhatIsNotThereIsZero) {
  EXPECT_EQ(sum_of(kText, "calls"), 0);
  EXPECT_EQ(sum_of("", "calls_total"), 0);
}

}  // namespace
}  // namespace mc::test
