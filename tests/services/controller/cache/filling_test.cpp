#include "services/controller/cache/filling.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace mc::controller {
namespace {

using std::chrono::seconds;

const Filling::Time kNow{seconds(1000)};

// Whether wait() would return at once.
bool is_done(const Filling& filling) { return filling.wait({}, seconds(0)); }

TEST(Filling, IsDoneOnceEachWatchHasListed) {
  Filling all;
  EXPECT_FALSE(is_done(all)) << "nothing is watched yet";
  all.expect("");
  all.expect("");
  EXPECT_FALSE(all.listed("", kNow));
  EXPECT_FALSE(is_done(all));
  EXPECT_FALSE(all.is_filled("lab", kNow));
  EXPECT_TRUE(all.listed("", kNow));
  EXPECT_TRUE(is_done(all));
  EXPECT_TRUE(all.is_filled("lab", kNow));
}

TEST(Filling, ANamespaceThatIsRefusedKeepsNoOtherFromTheirWork) {
  Filling some;
  for (const char* ns : {"hall", "hall", "lab"}) some.expect(ns);
  some.listed("hall", kNow);
  some.refused("hall");
  EXPECT_FALSE(is_done(some)) << "lab may still be listed";
  some.listed("lab", kNow);
  EXPECT_TRUE(is_done(some));
  EXPECT_TRUE(some.is_filled("lab", kNow));
  EXPECT_FALSE(some.is_listed("hall"));
  EXPECT_FALSE(some.is_filled("attic", kNow)) << "it is not watched";
  EXPECT_TRUE(some.listed("hall", kNow)) << "it has its rights again";
  EXPECT_TRUE(some.is_listed("hall"));
  EXPECT_FALSE(some.is_filled("hall", kNow)) << "PodGroups there are asked for again first";
  EXPECT_TRUE(some.is_filled("hall", kNow + Filling::kSettles));
}

TEST(Filling, IsNotDoneIfEveryNamespaceIsRefused) {
  Filling some;
  some.expect("hall");
  some.refused("hall");
  EXPECT_FALSE(is_done(some));
}

TEST(Filling, AWaitEndsWithTheLastListOrWithItsStop) {
  Filling all;
  all.expect("");
  std::stop_source stop;
  {
    const std::jthread stopping([&] { stop.request_stop(); });
    EXPECT_FALSE(all.wait(stop.get_token()));
  }
  const std::jthread listing([&] { all.listed("", kNow); });
  EXPECT_TRUE(all.wait({}));
}

}  // namespace
}  // namespace mc::controller
