#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/kubectl-minicluster/app/options.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

std::expected<Options, Exit> parsed_line(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kubectl-minicluster");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Enter, WhatFollowsTwoDashesIsNoFlagOfOurs) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"exec", "x", "--", "ls", "--rank"},
           {"exec", "x", "--rank", "3", "--", "ls", "-n"},
           {"flux", "-n", "team", "x", "--", "jobs", "-a", "--help"},
           {"shell", "x", "--rank=1"}}) {
    const auto options = parsed_line(arguments);
    ASSERT_TRUE(options) << options.error().text;
    EXPECT_TRUE(options->verb);
  }
}

TEST(Enter, ACommandIsRequired) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"exec", "x"}, {"flux", "x", "--"}, {"exec", "x", "ls"}}) {
    const auto options = parsed_line(arguments);
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, kUsageError);
  }
  EXPECT_THAT(parsed_line({"exec", "x"}).error().text, HasSubstr("`-- COMMAND` is required"));
}

}  // namespace
}  // namespace mc::kubectl
