#include "services/controller/queueing/fair_share.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing {
namespace {

using queueing::test::at;
using queueing::test::cpus;
using queueing::test::Random;
using std::chrono::seconds;

constexpr std::int64_t kHalfLife = 3600;

FairShare of_cpus(std::int64_t cpu, FairSharePolicy policy = {seconds(kHalfLife)}) {
  return {std::move(policy), cpus(cpu)};
}

double use_of(const FairShare& shares, const Account& account, std::int64_t now) {
  const Uses uses = shares.uses(at(now));
  const auto found = uses.of.find(account);
  return found == uses.of.end() ? 0 : found->second;
}

std::int64_t exact(const FairShare& shares, const Account& account) {
  const FairShareOf* found = shares.find(account);
  return found == nullptr ? -1 : found->exact;
}

TEST(FairShare, ADominantShareIsTheLargestPartOfALimit) {
  const api::Amounts hard = cpus(64, 256);
  EXPECT_EQ(dominant_share(cpus(16), hard), 250'000'000);
  EXPECT_EQ(dominant_share(cpus(16, 128), hard), 500'000'000);
  EXPECT_EQ(dominant_share({{"nvidia.com/gpu", api::Quantity(8)}}, hard), 0) << "not limited";
  EXPECT_EQ(dominant_share(cpus(1), cpus(0)), 0);
  EXPECT_EQ(dominant_share(cpus(1000), cpus(1)), 1'000'000'000) << "the limits were lowered";
  EXPECT_EQ(dominant_share({}, hard), 0);
}

TEST(FairShare, AUseDecaysByHalfInAHalfLife) {
  FairShare shares = of_cpus(64);
  shares.set("lab/a", {"lab", ""}, cpus(32), at(0));
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", ""}, kHalfLife), 0.25) << "half of the way to 0.5";
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", ""}, 2 * kHalfLife), 0.375);
  shares.set("lab/a", {"lab", ""}, {}, at(2 * kHalfLife));
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", ""}, 3 * kHalfLife), 0.1875);
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", ""}, 5 * kHalfLife), 0.046875);
}

TEST(FairShare, AUseThatIsAskedForOftenIsTheSame) {
  FairShare once = of_cpus(64), often = of_cpus(64);
  once.set("lab/a", {"lab", ""}, cpus(7), at(0));
  often.set("lab/a", {"lab", ""}, cpus(7), at(0));
  for (std::int64_t now = 0; now < kHalfLife; now += 60) often.refresh(at(now), {});
  EXPECT_NEAR(use_of(once, {"lab", ""}, kHalfLife), use_of(often, {"lab", ""}, kHalfLife), 1e-12);
}

TEST(FairShare, WhatIsAddedAndRemovedLeavesNothing) {
  FairShare shares = of_cpus(7);
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "lab/" + std::to_string(random.below(10));
    shares.set(key, {"lab", random.chance(50) ? "a" : "b"}, cpus(random.below(4)), at(0));
  }
  EXPECT_TRUE(shares.is_used());
  for (int i = 0; i < 10; ++i) shares.set("lab/" + std::to_string(i), {"lab", "a"}, {}, at(0));
  EXPECT_FALSE(shares.is_used());
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", "a"}, 100 * kHalfLife), 0);
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", "b"}, 100 * kHalfLife), 0);
}

// All that are in `uses` use something; the time is always the same.
FairShare that_used(const std::map<Account, double>& uses, FairSharePolicy policy) {
  FairShare out = of_cpus(64, std::move(policy));
  for (const auto& [account, unused] : uses) {
    out.set(account.ns + "/" + account.name, account, cpus(1), at(0));
  }
  out.resume({at(0), uses}, at(0));
  return out;
}

TEST(FairShare, IsOneWithoutUseAndOneHalfForWhoUsedItsPart) {
  FairShare shares = that_used({{{"a", ""}, 0.5}, {{"b", ""}, 0.25}}, {seconds(kHalfLife)});
  shares.refresh(at(0), {});
  EXPECT_EQ(exact(shares, {"a", ""}), 500);
  EXPECT_EQ(exact(shares, {"b", ""}), 667);
  shares.refresh(at(0), {{"c", ""}});
  EXPECT_EQ(exact(shares, {"c", ""}), 1000);
  EXPECT_EQ(exact(shares, {"a", ""}), 400) << "one of three has used half";
}

TEST(FairShare, AWeightOfThreeAllowsThreeTimesTheUse) {
  FairShare shares =
      that_used({{{"a", ""}, 0.6}, {{"b", ""}, 0.2}}, {seconds(kHalfLife), {{"a", 3}}});
  shares.refresh(at(0), {});
  EXPECT_EQ(exact(shares, {"a", ""}), 556);
  EXPECT_EQ(exact(shares, {"b", ""}), 556);
}

TEST(FairShare, WhoNeitherUsesNorWaitsCompetesWithNobody) {
  FairShare shares = that_used({{{"a", ""}, 0.5}, {{"b", ""}, 0.5}}, {seconds(kHalfLife)});
  shares.set("b/", {"b", ""}, {}, at(0));
  shares.refresh(at(0), {});
  EXPECT_EQ(exact(shares, {"a", ""}), 667) << "its part is everything, for nobody else wants it";
  EXPECT_EQ(shares.find({"b", ""}), nullptr);
}

TEST(FairShare, AccountsHaveEqualPartsOfTheirNamespaceAndNeverMore) {
  FairShare shares =
      that_used({{{"a", "x"}, 0.5}, {{"a", "y"}, 0.25}, {{"b", ""}, 0.75}}, {seconds(kHalfLife)});
  shares.refresh(at(0), {});
  EXPECT_EQ(exact(shares, {"b", ""}), 400);
  EXPECT_EQ(exact(shares, {"a", "y"}), 400) << "the one that used least has all of it";
  EXPECT_EQ(exact(shares, {"a", "x"}), 267) << "0.4 * (0.25 / 0.75) / (0.25 / 0.5)";
  shares.refresh(at(0), {{"a", "new"}});
  EXPECT_EQ(exact(shares, {"a", "new"}), 400) << "a new label is no way past another namespace";
}

TEST(FairShare, PutsAheadByAtMostFourHalfLives) {
  FairShare shares = that_used({{{"a", ""}, 0.5}}, {seconds(kHalfLife)});
  shares.refresh(at(0), {{"b", ""}});
  EXPECT_EQ(shares.ahead_of({"b", ""}), seconds(4 * kHalfLife));
  EXPECT_EQ(shares.ahead_of({"a", ""}), seconds(2 * kHalfLife));
  EXPECT_EQ(shares.ahead_of({"c", ""}), seconds(0)) << "not known yet";
  EXPECT_EQ(age_of(at(0), at(kHalfLife), seconds(kHalfLife)), 250);
  EXPECT_EQ(age_of(at(0), at(40 * kHalfLife), seconds(kHalfLife)), 10'000);
  EXPECT_EQ(age_of(at(9), at(0), seconds(kHalfLife)), 0);
}

TEST(FairShare, WhatPeopleSeeChangesInSteps) {
  FairShare shares = of_cpus(64);
  const auto with = [&](double use) {
    shares.resume({at(0), {{{"a", ""}, use}}}, at(0));
    shares.refresh(at(0), {{"a", ""}, {"b", ""}});
    return *shares.find({"a", ""});
  };
  EXPECT_EQ(with(0.5), (FairShareOf{500, 500}));
  EXPECT_EQ(with(0.45), (FairShareOf{526, 500}));
  EXPECT_EQ(with(0.42), (FairShareOf{543, 500}));
  EXPECT_EQ(with(0.4), (FairShareOf{556, 550}));
  EXPECT_EQ(with(0.42), (FairShareOf{543, 550}))
      << "one near the middle of a step does not flicker";
}

TEST(FairShare, IsDueOnceAMinuteAndAfterAClockThatWentBack) {
  FairShare shares = of_cpus(64);
  EXPECT_TRUE(shares.is_due(at(0)));
  shares.refresh(at(0), {});
  EXPECT_FALSE(shares.is_due(at(59)));
  EXPECT_TRUE(shares.is_due(at(60)));
  EXPECT_TRUE(shares.is_due(at(-1)));
}

TEST(FairShare, AClockThatJumpsMakesNoUseNegativeOrLargerThanTheLimits) {
  Random random(2);
  FairShare shares = of_cpus(64);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t jump = random.chance(10) ? random.between(-1'000'000'000, 1'000'000'000) : i;
    shares.set("lab/a", {"lab", ""}, cpus(random.below(65)), at(jump));
    shares.refresh(at(jump - random.below(100)), {{"lab", ""}, {"other", ""}});
    for (const auto& [unused, use] : shares.uses(at(i)).of) {
      ASSERT_GE(use, 0);
      ASSERT_LE(use, 1);
    }
    ASSERT_GE(exact(shares, {"lab", ""}), 333) << "1/2 / (1/2 + 1)";
    ASSERT_LE(exact(shares, {"lab", ""}), 1000);
    ASSERT_EQ(exact(shares, {"other", ""}), 1000);
  }
}

TEST(FairShare, OfTheIdleOnlyTheLargestAreRemembered) {
  FairShare shares = of_cpus(10'000);
  for (int i = 0; i < 1500; ++i) {
    const std::string ns = "lab-" + std::to_string(i);
    shares.set(ns + "/a", {ns, ""}, cpus(i + 1), at(0));
    if (i > 0) shares.set(ns + "/a", {ns, ""}, {}, at(kHalfLife));
  }
  EXPECT_EQ(shares.uses(at(kHalfLife)).of.size(), kMostAccounts);
  shares.refresh(at(kHalfLife), {});
  EXPECT_EQ(use_of(shares, {"lab-500", ""}, kHalfLife), 501.0 / 20'000);
  EXPECT_EQ(use_of(shares, {"lab-499", ""}, kHalfLife), 0);
  shares.refresh(at(20 * kHalfLife), {});
  EXPECT_EQ(shares.uses(at(20 * kHalfLife)).of.size(), 1U) << "what is left of the others is tiny";
}

TEST(FairShare, GoesOnFromWhatTheLastLeaderKnewAtTheAgeThatItHas) {
  FairShare before = of_cpus(64), after = of_cpus(64);
  before.set("lab/a", {"lab", ""}, cpus(32), at(0));
  after.set("lab/a", {"lab", ""}, cpus(32), at(kHalfLife));
  after.resume(before.uses(at(kHalfLife)), at(kHalfLife));
  EXPECT_EQ(before.uses(at(2 * kHalfLife)), after.uses(at(2 * kHalfLife)));
  FairShare late = of_cpus(64);
  late.resume({at(0), {{{"lab", ""}, 0.5}}}, at(kHalfLife));
  EXPECT_DOUBLE_EQ(use_of(late, {"lab", ""}, kHalfLife), 0.25);
  FairShare early = of_cpus(64);
  early.resume({at(kHalfLife), {{{"lab", ""}, 0.5}}}, at(0));
  EXPECT_DOUBLE_EQ(use_of(early, {"lab", ""}, 0), 0.5) << "the clock of the last was ahead";
}

TEST(FairShare, ChangedLimitsCountFromTheNextSet) {
  FairShare shares = of_cpus(64);
  shares.set("lab/a", {"lab", ""}, cpus(32), at(0));
  shares.set_policy({seconds(kHalfLife)}, cpus(32));
  shares.set("lab/a", {"lab", ""}, cpus(32), at(kHalfLife));
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", ""}, kHalfLife), 0.25);
  EXPECT_DOUBLE_EQ(use_of(shares, {"lab", ""}, 2 * kHalfLife), 0.625);
}

}  // namespace
}  // namespace mc::controller::queueing
