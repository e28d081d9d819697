#include "services/controller/queueing/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing::test {
namespace {

using ::testing::IsEmpty;

// The sums counted anew, without those that are 0.
std::map<std::string, api::Amounts> recount(const std::map<std::string, Running>& counted) {
  std::map<std::string, api::Amounts> sums = {{"", {}}, {"a", {}}, {"b", {}}};
  for (const auto& [unused, one] : counted) {
    for (const auto& [name, amount] : one.amounts) {
      sums[""][name] += amount;
      sums[one.ns][name] += amount;
    }
  }
  for (auto& [unused, sum] : sums) {
    std::erase_if(sum, [](const auto& entry) { return entry.second == api::Quantity(); });
  }
  return sums;
}

std::map<std::string, api::Amounts> sums_of(const Usage& usage) {
  return {{"", usage.cluster()}, {"a", usage.in("a")}, {"b", usage.in("b")}};
}

TEST(Usage, IsSummedForTheClusterAndEachNamespace) {
  Usage usage;
  usage.set(running("a/x", cpus(2, 8)));
  usage.set(running("b/y", cpus(3)));
  EXPECT_EQ(usage.cluster(), cpus(5, 8));
  EXPECT_EQ(usage.in("a"), cpus(2, 8));
  EXPECT_EQ(usage.in("b"), cpus(3));
  EXPECT_THAT(usage.in("c"), IsEmpty());
}

TEST(Usage, ANewCountReplacesTheOldOneOfItsKey) {
  Usage usage;
  usage.set(running("a/x", cpus(2, 8), 100));
  usage.set(running("a/x", cpus(1)));
  EXPECT_EQ(usage.cluster(), cpus(1));
  EXPECT_THAT(usage.by_end(), IsEmpty());
  usage.remove("a/x");
  usage.remove("a/x");
  EXPECT_THAT(usage.cluster(), IsEmpty());
  EXPECT_THAT(usage.in("a"), IsEmpty());
}

TEST(Usage, WhatCountsNothingCanBeRemoved) {
  Usage usage;
  usage.set(running("a/x", {}));
  usage.set(running("a/y", cpus(0)));
  usage.remove("a/x");
  usage.remove("a/y");
  EXPECT_THAT(usage.cluster(), IsEmpty());
  EXPECT_EQ(usage.size(), 0U);
}

TEST(Usage, EqualsTheSumsCountedAnew) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    Usage usage;
    std::map<std::string, Running> counted;
    for (int step = 0; step < 200; ++step) {
      const std::string key = (random.chance(50) ? "a/" : "b/") + std::to_string(random.below(20));
      if (random.chance(30)) {
        usage.remove(key);
        counted.erase(key);
      } else {
        const Running one = running(key, cpus(random.below(4), random.below(3)), random.below(50));
        usage.set(one);
        counted[key] = one;
      }
      ASSERT_EQ(sums_of(usage), recount(counted)) << "seed " << seed << ", step " << step;
    }
  }
}

// Nobody can use that much, but anybody can demand it.
TEST(Usage, IsRightAfterASumThatNoNumberHolds) {
  const api::Quantity most = *api::Quantity::parse("9223372036854775807") * 2'000'000'000;
  Usage usage;
  usage.set(running("a/small", cpus(3)));
  for (int i = 0; i < 20; ++i) usage.set(running("a/" + std::to_string(i), {{"cpu", most}}));
  for (int i = 0; i < 20; ++i) usage.remove("a/" + std::to_string(i));
  EXPECT_EQ(usage.cluster(), cpus(3));
  EXPECT_EQ(usage.in("a"), cpus(3));
}

}  // namespace
}  // namespace mc::controller::queueing::test
