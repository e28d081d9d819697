#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pods/story.h"

// A cluster of pods, from its objects to the end of its command.
namespace mc::pods {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(Pods, FourRunTheCommandOnFourRanksAndEndWell) {
  Node node;
  Pods pods(node, four("hostname"));
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(pods.code(i), 0) << pods.logs();
    EXPECT_THAT(pods.log(0), HasSubstr("\nflux-sample-" + std::to_string(i) + "\n"));
  }
}

}  // namespace
}  // namespace mc::pods
