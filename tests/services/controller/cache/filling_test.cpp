#include "services/controller/cache/filling.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace mc::controller {
namespace {

using std::chrono::seconds;

// Whether wait() would return at once.
bool is_done(const Filling& filling) { return filling.wait({}, seconds(0)); }

TEST(Filling, IsDoneOnceEachWatchHasListed) {
  Filling all;
  EXPECT_FALSE(is_done(all)) << "nothing is watched yet";
  all.expect("");
  all.expect("");
  EXPECT_FALSE(all.listed(""));
  EXPECT_FALSE(is_done(all));
  EXPECT_FALSE(all.is_filled("lab"));
  EXPECT_TRUE(all.listed(""));
  EXPECT_TRUE(is_done(all));
  EXPECT_TRUE(all.is_filled("lab"));
}

TEST(Filling, ANamespaceThatIsRefusedKeepsNoOtherFromTheirWork) {
  Filling some;
  for (const char* ns : {"hall", "hall", "lab"}) some.expect(ns);
  some.listed("hall");
  some.refused("hall");
  EXPECT_FALSE(is_done(some)) << "lab may still be listed";
  some.listed("lab");
  EXPECT_TRUE(is_done(some));
  EXPECT_TRUE(some.is_filled("lab"));
  EXPECT_FALSE(some.is_filled("hall"));
  EXPECT_FALSE(some.is_filled("attic")) << "it is not watched";
  EXPECT_TRUE(some.listed("hall")) << "it has its rights again";
  EXPECT_TRUE(some.is_filled("hall"));
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
  const std::jthread listing([&] { all.listed(""); });
  EXPECT_TRUE(all.wait({}));
}

}  // namespace
}  // namespace mc::controller
