#include "common/base/unique_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc {
namespace {

TEST(UniqueName, HasThePrefixAndAnotherSuffixEachTime) {
  const std::string one = unique_name("pod"), two = unique_name("pod");
  EXPECT_THAT(one, testing::MatchesRegex("pod_[0-9a-f]+"));
  EXPECT_EQ(one.size(), std::string("pod_0123456789abcdef").size());
  EXPECT_NE(one, two);
}

}  // namespace
}  // namespace mc
