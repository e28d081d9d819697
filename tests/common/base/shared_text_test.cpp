#include "common/base/shared_text.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace mc {
namespace {

TEST(SharedText, EqualTextsAreOneCopy) {
  const SharedText one = "a text", other = std::string("a ") + "text", third = "another";
  EXPECT_EQ(&one.str(), &other.str());
  EXPECT_EQ(one, other);
  EXPECT_NE(one, third);
  EXPECT_EQ(third, "another");
}

TEST(SharedText, IsEmptyWithoutText) {
  const SharedText none, empty = "";
  EXPECT_TRUE(none.empty() && empty.empty());
  EXPECT_EQ(none, empty);
  EXPECT_EQ(none.str(), "");
}

TEST(SharedText, LivesAsLongAsOneOfItsCopies) {
  SharedText kept;
  {
    const SharedText first = "a text that is too long for the string itself";
    kept = first;
    const SharedText second = kept;
    SharedText third = second;
    EXPECT_EQ(std::move(third), first);
  }
  EXPECT_EQ(kept, "a text that is too long for the string itself");
  kept = kept.str();  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(kept, "a text that is too long for the string itself");
}

TEST(SharedText, ManyThreadsMakeAndDropTheSameText) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 10'000; ++round) {
        const SharedText one = "contended";
        const SharedText copy = one;  // NOLINT(performance-unnecessary-copy-initialization)
        ASSERT_EQ(copy, "contended");
      }
    });
  }
}

}  // namespace
}  // namespace mc
