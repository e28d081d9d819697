#include "services/controller/metrics/access_cache.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mc::controller {
namespace {

using namespace std::chrono_literals;

constexpr AccessCache::TimePoint kStart{1h};

AccessVerdict allowed() { return {}; }
AccessVerdict refused() { return {401, "no"}; }

// How many of a hundred requests may ask the API server at that moment.
int asked(AccessCache& cache, const std::string& digest, AccessCache::TimePoint now) {
  int count = 0;
  for (int i = 0; i < 100; ++i) count += cache.may_ask(digest, now) ? 1 : 0;
  return count;
}

TEST(SecondLimit, IsOfEverySecondWhereverItBegins) {
  SecondLimit limit;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limit.take(kStart + i * 90ms));
  EXPECT_FALSE(limit.take(kStart + 999ms));
  EXPECT_TRUE(limit.take(kStart + 1000ms));
  EXPECT_FALSE(limit.take(kStart + 1089ms)) << "ten since 90 ms";
  EXPECT_TRUE(limit.take(kStart + 1090ms));
}

TEST(AccessCache, KnowsWhoIsAllowedForAMinuteAndWhoIsNotForHalf) {
  AccessCache cache;
  EXPECT_FALSE(cache.find("a", kStart));
  cache.keep("a", allowed(), kStart);
  cache.keep("b", refused(), kStart);
  EXPECT_TRUE(cache.find("a", kStart + 59s)->allowed());
  EXPECT_FALSE(cache.find("a", kStart + 60s));
  EXPECT_EQ(cache.find("b", kStart + 29s)->status, 401);
  EXPECT_EQ(cache.find("b", kStart + 29s)->why, "no");
  EXPECT_FALSE(cache.find("b", kStart + 30s));
}

TEST(AccessCache, TheNewVerdictTakesTheOldOnesPlace) {
  AccessCache cache;
  cache.keep("a", allowed(), kStart);
  cache.keep("a", refused(), kStart + 60s);
  EXPECT_EQ(cache.find("a", kStart + 61s)->status, 401);
  EXPECT_EQ(cache.size(), 1U);
}

TEST(AccessCache, LetsTenUnknownOnesASecondAsk) {
  AccessCache cache;
  EXPECT_EQ(asked(cache, "x", kStart), 10);
  EXPECT_EQ(asked(cache, "y", kStart + 999ms), 0);
  EXPECT_EQ(asked(cache, "y", kStart + 1s), 10);
}

TEST(AccessCache, UnknownOnesShutNobodyOutWhoWasAllowed) {
  AccessCache cache;
  cache.keep("good", allowed(), kStart);
  EXPECT_EQ(asked(cache, "x", kStart + 60s), 10);
  EXPECT_EQ(asked(cache, "good", kStart + 60s), 10);
  cache.keep("good", refused(), kStart + 60s);
  EXPECT_EQ(asked(cache, "good", kStart + 60s), 0) << "it is one of the others now";
}

TEST(AccessCache, HoldsSixtyFourAndForgetsTheRefusedFirst) {
  AccessCache cache;
  cache.keep("good", allowed(), kStart);
  for (int i = 0; i < 1000; ++i) {
    const std::string digest = std::to_string(i);
    cache.keep(digest, refused(), kStart + 1s + i * 1ms);
    EXPECT_TRUE(cache.find(digest, kStart + 1s + i * 1ms)) << digest;
    EXPECT_EQ(cache.size(), std::min<std::size_t>(static_cast<std::size_t>(i) + 2, 64));
  }
  EXPECT_TRUE(cache.find("good", kStart + 3s));
  EXPECT_TRUE(cache.find("937", kStart + 3s));
  EXPECT_FALSE(cache.find("936", kStart + 3s));
}

TEST(AccessCache, FullOfTheAllowedItForgetsTheOldestOfThem) {
  AccessCache cache;
  for (int i = 0; i < 65; ++i) cache.keep(std::to_string(i), allowed(), kStart + i * 1ms);
  EXPECT_EQ(cache.size(), 64U);
  EXPECT_FALSE(cache.find("0", kStart + 1s));
  EXPECT_TRUE(cache.find("1", kStart + 1s));
  cache.keep("bad", refused(), kStart + 1s);
  EXPECT_EQ(cache.size(), 64U);
  EXPECT_TRUE(cache.find("bad", kStart + 1s));
  EXPECT_FALSE(cache.find("1", kStart + 1s));
}

}  // namespace
}  // namespace mc::controller
