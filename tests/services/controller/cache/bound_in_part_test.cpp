#include "services/controller/cache/bound_in_part.h"

#include <gtest/gtest.h>

namespace mc::controller {
namespace {

using std::chrono::seconds;

TEST(BoundInPart, NamesAnotherOnceBothHaveWaitedForLong) {
  BoundInPart all;
  const BoundInPart::Time start{};
  const auto after = [&](int time) { return start + seconds(time); };
  all.add("lab/a", after(0));
  EXPECT_EQ(all.other("lab/a", after(100)), "") << "it is alone";
  all.add("lab/b", after(10));
  all.add("lab/b", after(35));  // still
  EXPECT_EQ(all.other("lab/a", after(39)), "") << "the other may still start";
  EXPECT_EQ(all.other("lab/a", after(40)), "lab/b");
  EXPECT_EQ(all.other("lab/b", after(40)), "lab/a");
  EXPECT_EQ(all.other("lab/c", after(40)), "") << "it is not in part";
  all.add("lab/c", after(5));
  EXPECT_EQ(all.other("lab/b", after(40)), "lab/a") << "the one that waits for the longest";
  EXPECT_EQ(all.size(), 3U);
  all.remove("lab/a");
  EXPECT_EQ(all.other("lab/b", after(40)), "lab/c");
  EXPECT_EQ(all.size(), 2U);
}

}  // namespace
}  // namespace mc::controller
