#include "services/controller/queueing/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/services/controller/queueing/builders.h"
#include "tests/support/cpu_time.h"

namespace mc::controller::queueing::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Why one waits, and its place: 0 for one that never fits.
struct Answer : Reason {
  bool never_fits = false;
  std::size_t place = 0;
};

struct Decision {
  std::vector<std::string> start;         // keys
  std::map<std::string, Answer> waiting;  // the others, by key
};

// `promised`: the key of one that was promised a start.
Decision decide(Time now, const Limits& limits, const std::vector<Running>& running,
                const std::vector<Waiting>& waiting, const std::string& promised = "") {
  Usage usage;
  for (const Running& one : running) usage.set(one);
  const Pending pending(waiting.begin(), waiting.end());
  EXPECT_EQ(pending.size(), waiting.size());
  const auto head = std::ranges::find(pending, promised, &Waiting::key);
  Schedule made = schedule(now, limits, usage, pending, head == pending.end() ? nullptr : &*head);
  Decision out;
  for (const Waiting* one : made.admitted()) out.start.push_back(one->key());
  std::size_t place = 0;
  for (const Waiting& one : pending) {
    if (std::ranges::count(made.admitted(), &one) > 0) continue;
    Answer& answer = out.waiting[one.key()];
    answer.shortage = made.left().never_fits(one.ns, one.demand);
    answer.never_fits = answer.shortage.has_value();
    if (answer.never_fits) continue;
    static_cast<Reason&>(answer) = made.reason(one);
    answer.place = ++place;
  }
  return out;
}

// The order before there was fair share.
bool was_before(const Waiting& a, const Waiting& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return std::tie(a.created, a.name, a.ns) < std::tie(b.created, b.name, b.ns);
}

TEST(Order, WithoutFairShareIsPriorityCreationNameAndNamespace) {
  Random random(1);
  std::vector<Waiting> all;
  for (int i = 0; i < 2000; ++i) {
    const std::string ns(1, static_cast<char>('a' + random.below(5)));
    all.push_back(waiting(ns + "/" + std::to_string(i / 5), cpus(1), {}, random.between(-5, 5)));
    all.back().priority = static_cast<std::int32_t>(random.between(-2, 2));
    all.back().account = std::to_string(random.below(3));
  }
  const Pending pending(all.begin(), all.end());
  std::ranges::sort(all, was_before);
  const auto same_place = [](const Waiting& a, const Waiting& b) {
    return !was_before(a, b) && !was_before(b, a);
  };
  all.erase(std::unique(all.begin(), all.end(), same_place), all.end());
  EXPECT_TRUE(std::ranges::equal(pending, all, {}, &Waiting::key, &Waiting::key));
}

TEST(Order, FairShareMovesWithinAPriorityOnly) {
  Waiting first = waiting("a/first", cpus(1), {}, 0), ahead = waiting("b/ahead", cpus(1), {}, 100);
  Waiting urgent = waiting("a/urgent", cpus(1), {}, 200);
  ahead.ahead = std::chrono::seconds(101);
  urgent.priority = 1;
  const Pending pending{first, ahead, urgent};
  std::vector<std::string> keys;
  for (const Waiting& one : pending) keys.push_back(one.key());
  EXPECT_THAT(keys, ElementsAre("a/urgent", "b/ahead", "a/first"));
}

Limits limits(Strategy strategy, api::Amounts hard) { return {strategy, std::move(hard), {}}; }

// Namespace "a" may use `of_a` CPUs.
Limits limits_with_a(Strategy strategy, std::int64_t cpu, std::int64_t of_a) {
  return {strategy, cpus(cpu), {{"a", {cpus(of_a)}}}};
}

Shortage lacks(Shortage::Scope scope, const std::string& resource, std::int64_t hard,
               std::int64_t missing) {
  return {scope, resource, api::Quantity(hard), api::Quantity(missing)};
}

constexpr std::array kStrategies = {Strategy::StrictFIFO, Strategy::BestEffortFIFO,
                                    Strategy::EASYBackfill};
constexpr auto kCluster = Shortage::Scope::Cluster;
constexpr auto kNamespace = Shortage::Scope::Namespace;

TEST(Order, IsPriorityThenCreationThenNameThenNamespace) {
  const Limits none = limits(Strategy::StrictFIFO, {});
  Waiting urgent = waiting("a/urgent", cpus(1), {}, 9);
  urgent.priority = 5;
  Waiting low = waiting("a/low", cpus(1), {}, 0);
  low.priority = -1;
  const Decision out =
      decide(at(10), none, {},
             {low, waiting("b/x", cpus(1), {}, 2), waiting("a/y", cpus(1), {}, 2),
              waiting("a/x", cpus(1), {}, 2), waiting("a/z", cpus(1), {}, 1), urgent});
  EXPECT_THAT(out.start, ElementsAre("a/urgent", "a/z", "a/x", "b/x", "a/y", "a/low"));
}

TEST(EveryStrategy, AnAbsentResourceIsNotLimited) {
  for (const Strategy strategy : kStrategies) {
    const Decision out =
        decide(at(0), limits(strategy, cpus(1)), {}, {waiting("a/x", cpus(1, 1'000'000))});
    EXPECT_THAT(out.start, ElementsAre("a/x"));
  }
}

TEST(EveryStrategy, AResourceOfWhichNothingIsDemandedDoesNotLack) {
  const Limits lowered = limits(Strategy::StrictFIFO, cpus(10, 1));
  const Decision out =
      decide(at(0), lowered, {running("a/r", cpus(1, 5))}, {waiting("a/x", cpus(9, 0))});
  EXPECT_THAT(out.start, ElementsAre("a/x"));
}

TEST(EveryStrategy, OneThatCanNeverFitHoldsUpNobody) {
  for (const Strategy strategy : kStrategies) {
    const Decision out =
        decide(at(0), limits_with_a(strategy, 8, 4), {},
               {waiting("b/huge", cpus(9), 10, 0), waiting("a/large", cpus(5), 10, 1),
                waiting("a/x", cpus(4), 10, 2)});
    EXPECT_THAT(out.start, ElementsAre("a/x"));
    EXPECT_TRUE(out.waiting.at("b/huge").never_fits);
    EXPECT_EQ(out.waiting.at("b/huge").shortage, lacks(kCluster, "cpu", 8, 1));
    EXPECT_EQ(out.waiting.at("b/huge").place, 0U);
    EXPECT_TRUE(out.waiting.at("a/large").never_fits);
    EXPECT_EQ(out.waiting.at("a/large").shortage, lacks(kNamespace, "cpu", 4, 1));
  }
}

TEST(EveryStrategy, AllLimitsOfANamespaceHold) {
  for (const Strategy strategy : kStrategies) {
    const Limits two = {strategy, cpus(100), {{"a", {cpus(9, 2), cpus(3)}}}};
    const Decision out =
        decide(at(0), two, {running("a/r", cpus(2, 1))},
               {waiting("a/x", cpus(2, 1), 10, 0), waiting("b/y", cpus(50, 50), 10, 1)});
    EXPECT_THAT(out.start, ElementsAre("b/y"));
    EXPECT_EQ(out.waiting.at("a/x").shortage, lacks(kNamespace, "cpu", 3, 1));
    EXPECT_EQ(out.waiting.at("a/x").behind, "");
    EXPECT_EQ(out.waiting.at("a/x").place, 1U);
  }
}

TEST(EveryStrategy, NothingStartsPastALimitThatWasLowered) {
  for (const Strategy strategy : kStrategies) {
    const Decision out = decide(at(0), limits(strategy, cpus(4)), {running("a/r", cpus(10), 50)},
                                {waiting("a/x", cpus(1), 10)});
    EXPECT_THAT(out.start, IsEmpty());
    EXPECT_EQ(out.waiting.at("a/x").shortage, lacks(kCluster, "cpu", 4, 7));
  }
}

TEST(EveryStrategy, PodsOfAnEarlierRunCountUntilTheyAreGone) {
  for (const Strategy strategy : kStrategies) {
    const Decision out = decide(at(0), limits(strategy, cpus(8)), {running("a/x", cpus(2), 50)},
                                {waiting("a/x", cpus(4), 10, 0), waiting("a/y", cpus(3), 60, 1)});
    EXPECT_THAT(out.start, ElementsAre("a/x"));
    EXPECT_EQ(out.waiting.at("a/y").shortage, lacks(kCluster, "cpu", 8, 1));
  }
}

TEST(StrictFifo, NobodyPassesTheHead) {
  const Decision out =
      decide(at(0), limits(Strategy::StrictFIFO, cpus(8)), {running("a/r", cpus(4), 100)},
             {waiting("a/first", cpus(1), 10, 0), waiting("a/head", cpus(5), 10, 1),
              waiting("b/small", cpus(1), 10, 2)});
  EXPECT_THAT(out.start, ElementsAre("a/first"));
  EXPECT_EQ(out.waiting.at("a/head").shortage, lacks(kCluster, "cpu", 8, 2));
  EXPECT_EQ(out.waiting.at("a/head").behind, "");
  EXPECT_EQ(out.waiting.at("a/head").promised, std::nullopt);
  EXPECT_EQ(out.waiting.at("b/small").shortage, std::nullopt);
  EXPECT_EQ(out.waiting.at("b/small").behind, "a/head");
  EXPECT_EQ(out.waiting.at("b/small").place, 2U);
}

TEST(StrictFifo, OneThatWaitsForItsNamespaceHoldsBackOnlyItsNamespace) {
  const Decision out =
      decide(at(0), limits_with_a(Strategy::StrictFIFO, 10, 4), {running("a/r", cpus(3), 100)},
             {waiting("a/first", cpus(2), 10, 0), waiting("a/small", cpus(1), 10, 1),
              waiting("b/x", cpus(6), 10, 2), waiting("b/head", cpus(2), 10, 3),
              waiting("c/y", cpus(1), 10, 4)});
  EXPECT_THAT(out.start, ElementsAre("b/x"));
  EXPECT_EQ(out.waiting.at("a/first").shortage, lacks(kNamespace, "cpu", 4, 1));
  EXPECT_EQ(out.waiting.at("a/first").behind, "");
  EXPECT_EQ(out.waiting.at("a/small").behind, "a/first");
  EXPECT_EQ(out.waiting.at("b/head").shortage, lacks(kCluster, "cpu", 10, 1));
  EXPECT_EQ(out.waiting.at("c/y").behind, "b/head");
}

// It would not start even if other namespaces used nothing, so nobody is held back for it.
TEST(StrictFifo, OneWhoseNamespaceLacksIsNotTheHead) {
  const Decision out =
      decide(at(0), limits_with_a(Strategy::StrictFIFO, 10, 10), {running("a/r", cpus(1), 100)},
             {waiting("a/all", cpus(10), 10, 0), waiting("b/x", cpus(9), 10, 1)});
  EXPECT_THAT(out.start, ElementsAre("b/x"));
}

TEST(BestEffortFifo, WhoeverFitsStarts) {
  const Decision out =
      decide(at(0), limits_with_a(Strategy::BestEffortFIFO, 8, 3), {running("b/r", cpus(4))},
             {waiting("b/large", cpus(5), {}, 0), waiting("a/x", cpus(2), {}, 1),
              waiting("a/y", cpus(2), {}, 2), waiting("a/z", cpus(1), {}, 3),
              waiting("b/last", cpus(2), {}, 4)});
  EXPECT_THAT(out.start, ElementsAre("a/x", "a/z"));
  EXPECT_EQ(out.waiting.at("b/large").shortage, lacks(kCluster, "cpu", 8, 4));
  EXPECT_EQ(out.waiting.at("a/y").shortage, lacks(kNamespace, "cpu", 3, 2));
  EXPECT_EQ(out.waiting.at("b/last").place, 3U);
  EXPECT_EQ(out.waiting.at("b/last").behind, "");
}

// 8 CPUs: 3 until 100, 3 until 200, 2 are free; the head needs 5, which it has at 100.
class Backfill : public testing::Test {
 protected:
  Decision with(std::vector<Waiting> others) {
    others.push_back(waiting("a/head", cpus(5), 1000, 0));
    return decide(at(10), limits(Strategy::EASYBackfill, cpus(8)),
                  {running("a/r1", cpus(3), 100), running("a/r2", cpus(3), 200)}, others);
  }
};

TEST_F(Backfill, TheHeadIsPromisedTheEarliestTimeAtWhichItFits) {
  const Decision out = with({});
  EXPECT_THAT(out.start, IsEmpty());
  EXPECT_EQ(out.waiting.at("a/head").promised, at(100));
  EXPECT_EQ(out.waiting.at("a/head").shortage, lacks(kCluster, "cpu", 8, 3));
}

TEST_F(Backfill, OneThatEndsByThenStarts) {
  EXPECT_THAT(with({waiting("b/x", cpus(2), 90, 1)}).start, ElementsAre("b/x"));
}

TEST_F(Backfill, OneThatEndsLaterDoesNotIfItTakesWhatTheHeadNeeds) {
  const Decision out = with({waiting("b/x", cpus(1), 91, 1)});
  EXPECT_THAT(out.start, IsEmpty());
  EXPECT_EQ(out.waiting.at("b/x").shortage, std::nullopt);
  EXPECT_EQ(out.waiting.at("b/x").behind, "a/head");
  EXPECT_EQ(out.waiting.at("b/x").promised, std::nullopt);
}

TEST_F(Backfill, OneWhoseEndIsUnknownDoesNotEither) {
  EXPECT_THAT(with({waiting("b/x", cpus(1), {}, 1)}).start, IsEmpty());
}

TEST(BackfillBesideTheHead, EveryResourceMustSufficeBesideTheHead) {
  const Limits both = limits(Strategy::EASYBackfill, cpus(10, 10));
  const std::vector<Running> now = {running("a/r", cpus(6, 6), 100)};
  const Waiting head = waiting("a/head", cpus(7, 5), 1000, 0);
  const auto starts = [&](const Waiting& other) {
    return !decide(at(0), both, now, {head, other}).start.empty();
  };
  EXPECT_TRUE(starts(waiting("b/x", cpus(3, 4), 999, 1)));
  EXPECT_FALSE(starts(waiting("b/x", cpus(4, 1), 999, 1)));
  // 5 of the memory is left beside the head, but only 4 of it now.
  EXPECT_FALSE(starts(waiting("b/x", cpus(1, 5), 999, 1)));
  EXPECT_TRUE(starts(waiting("b/x", cpus(4, 1), 100, 1)));
}

TEST(BackfillBesideTheHead, WhatOneTakesBesideTheHeadIsGoneForTheNext) {
  const Decision out =
      decide(at(0), limits(Strategy::EASYBackfill, cpus(10)), {running("a/r", cpus(6), 100)},
             {waiting("a/head", cpus(7), 1000, 0), waiting("b/x", cpus(2), 999, 1),
              waiting("b/y", cpus(2), 999, 2), waiting("b/z", cpus(1), 999, 3),
              waiting("b/short", cpus(1), 100, 4)});
  EXPECT_THAT(out.start, ElementsAre("b/x", "b/z", "b/short"));
}

TEST(BackfillEnds, ThoseThatEndAtTheSameTimeCountTogether) {
  const std::vector<Running> now = {running("a/r1", cpus(4), 100), running("a/r2", cpus(4), 100)};
  const Decision out = decide(at(0), limits(Strategy::EASYBackfill, cpus(10)), now,
                              {waiting("a/head", cpus(6), 1000, 0), waiting("b/x", cpus(2), 999, 1),
                               waiting("b/y", cpus(1), 999, 2)});
  EXPECT_EQ(out.waiting.at("a/head").promised, at(100));
  EXPECT_THAT(out.start, ElementsAre("b/x"));
}

TEST(BackfillEnds, WithoutKnownEndsNothingIsPromised) {
  const std::vector<Running> now = {running("a/r", cpus(6)), running("a/s", cpus(1), 100)};
  const Decision out =
      decide(at(0), limits(Strategy::EASYBackfill, cpus(10)), now,
             {waiting("a/head", cpus(7), 1000, 0), waiting("b/unknown", cpus(1), {}, 1),
              waiting("b/nothing", {{"memory", api::Quantity(5)}}, {}, 2),
              waiting("b/known", cpus(1), 5000, 3)});
  EXPECT_EQ(out.waiting.at("a/head").promised, std::nullopt);
  EXPECT_THAT(out.start, ElementsAre("b/nothing", "b/known"));
  EXPECT_EQ(out.waiting.at("b/unknown").behind, "a/head");
}

TEST(BackfillEnds, OneThatRunsLongerThanItMayEndsAtAnyMoment) {
  const Decision out =
      decide(at(500), limits(Strategy::EASYBackfill, cpus(10)), {running("a/r", cpus(6), 100)},
             {waiting("a/head", cpus(7), 1000, 0), waiting("b/x", cpus(4), 1, 1),
              waiting("b/y", cpus(3), 1, 2)});
  EXPECT_EQ(out.waiting.at("a/head").promised, at(100));
  EXPECT_THAT(out.start, ElementsAre("b/y"));
}

TEST(Promise, IsKeptAgainstHigherPriority) {
  const Limits easy = limits(Strategy::EASYBackfill, cpus(10));
  Waiting head = waiting("a/head", cpus(7), 1000, 5);
  Waiting urgent = waiting("b/urgent", cpus(8), 1000, 6);
  urgent.priority = 100;
  const Decision before_end =
      decide(at(50), easy, {running("a/r", cpus(6), 100)}, {urgent, head}, "a/head");
  EXPECT_THAT(before_end.start, IsEmpty());
  EXPECT_EQ(before_end.waiting.at("a/head").promised, at(100));
  EXPECT_EQ(before_end.waiting.at("a/head").place, 2U);
  EXPECT_EQ(before_end.waiting.at("b/urgent").behind, "a/head");
  const Decision at_end = decide(at(100), easy, {}, {urgent, head}, "a/head");
  EXPECT_THAT(at_end.start, ElementsAre("a/head"));
  EXPECT_EQ(at_end.waiting.at("b/urgent").promised, at(1100));
}

TEST(Promise, IsDelayedOnlyByAHigherPriorityThatOverridesIt) {
  const Limits easy = limits(Strategy::EASYBackfill, cpus(10));
  const Waiting head = waiting("a/head", cpus(7), 1000, 5);
  Waiting high = waiting("b/high", cpus(8), 1000, 1);
  high.priority = 10;
  Waiting emergency = waiting("b/emergency", cpus(8), 1000, 6);
  emergency.priority = 100;
  emergency.overrides = true;
  const std::vector<Running> now = {running("a/r", cpus(6), 100)};
  const Decision waits = decide(at(50), easy, now, {high, emergency, head}, "a/head");
  EXPECT_EQ(waits.waiting.at("b/emergency").promised, at(100));
  EXPECT_EQ(waits.waiting.at("a/head").promised, std::nullopt);
  const Decision starts = decide(at(100), easy, {}, {high, emergency, head}, "a/head");
  EXPECT_THAT(starts.start, ElementsAre("b/emergency"));
  EXPECT_EQ(starts.waiting.at("a/head").promised, at(1100)) << "before the one that only has more";
  emergency.priority = 0;
  emergency.created = at(0);
  EXPECT_THAT(decide(at(100), easy, {}, {emergency, head}, "a/head").start, ElementsAre("a/head"))
      << "its priority must be higher";
}

TEST(Promise, IsKeptByOneThatIsOverriddenAndNotDelayed) {
  Waiting emergency = waiting("b/emergency", cpus(4), 40, 6);
  emergency.priority = 100;
  emergency.overrides = true;
  const Decision out =
      decide(at(50), limits(Strategy::EASYBackfill, cpus(10)), {running("a/r", cpus(6), 100)},
             {emergency, waiting("a/head", cpus(7), 1000, 5)}, "a/head");
  EXPECT_THAT(out.start, ElementsAre("b/emergency"));
  EXPECT_EQ(out.waiting.at("a/head").promised, at(100));
}

// The head of namespace "a" needs 6 of its 8: those come free at 300, 6 of the cluster at 100.
TEST(Promise, CountsWhatTheHeadNeedsOfItsNamespace) {
  Waiting head = waiting("a/head", cpus(6), 1000, 0);
  const std::vector<Running> now = {running("b/r", cpus(10), 100), running("a/r", cpus(4), 300)};
  const Decision out = decide(at(0), limits_with_a(Strategy::EASYBackfill, 16, 8), now,
                              {head, waiting("b/x", cpus(2), 300, 1)}, "a/head");
  EXPECT_EQ(out.waiting.at("a/head").promised, at(300));
  EXPECT_THAT(out.start, ElementsAre("b/x"));
}

// At 100 the cluster has enough for both, namespace "a" has not.
TEST(Promise, IsNotDelayedByTheHeadsNamespace) {
  const std::vector<Running> now = {running("b/r", cpus(12), 100)};
  const auto starts = [&](const Waiting& other) {
    return !decide(at(0), limits_with_a(Strategy::EASYBackfill, 16, 8), now,
                   {waiting("a/head", cpus(6), 1000, 0), other})
                .start.empty();
  };
  EXPECT_FALSE(starts(waiting("a/x", cpus(3), 900, 1)));
  EXPECT_TRUE(starts(waiting("b/x", cpus(3), 900, 1)));
  EXPECT_TRUE(starts(waiting("a/x", cpus(2), 900, 1)));
}

// The first of namespace "a" waits for a GPU, so only the promise protects the head.
TEST(Promise, WhatOneTakesOfTheHeadsNamespaceIsGoneForTheNext) {
  Limits both = limits_with_a(Strategy::EASYBackfill, 100, 10);
  both.namespaces["a"].push_back({{"gpu", api::Quantity(1)}});
  api::Amounts used = cpus(5);
  used["gpu"] = api::Quantity(1);
  Waiting head = waiting("a/head", cpus(6), 1000, 1);
  const Decision out = decide(at(0), both, {running("a/r", used, 100)},
                              {waiting("a/gpu", {{"gpu", api::Quantity(1)}}, 10, 0), head,
                               waiting("a/x", cpus(3), 900, 2), waiting("a/y", cpus(2), 900, 3)},
                              "a/head");
  EXPECT_THAT(out.start, ElementsAre("a/x"));
  EXPECT_EQ(out.waiting.at("a/y").behind, "a/head");
}

TEST(BackfillOfANamespace, WhatItsFirstNeedsIsNotTakenByItsOthers) {
  const Decision out = decide(
      at(0), limits_with_a(Strategy::EASYBackfill, 100, 8), {running("a/r", cpus(4), 100)},
      {waiting("a/first", cpus(5), 1000, 0), waiting("a/small", cpus(1), 10, 1),
       waiting("a/memory", {{"memory", api::Quantity(1)}}, 10, 2), waiting("b/x", cpus(9), 10, 3)});
  EXPECT_THAT(out.start, ElementsAre("a/memory", "b/x"));
  EXPECT_EQ(out.waiting.at("a/first").promised, std::nullopt);
  EXPECT_EQ(out.waiting.at("a/first").shortage, lacks(kNamespace, "cpu", 8, 1));
  EXPECT_EQ(out.waiting.at("a/small").behind, "a/first");
}

// 200 of few kinds, in two namespaces of which "a" is limited.
std::vector<Waiting> crowd_of_few_kinds(Random& random) {
  std::vector<Waiting> out;
  for (int i = 0; i < 200; ++i) {
    const std::string key = (random.chance(50) ? "a/" : "b/") + std::to_string(i);
    std::optional<std::int64_t> longest;
    if (random.chance(70)) longest = random.chance(50) ? 50 : 5000;
    out.push_back(waiting(key, cpus(random.chance(50) ? 1 : 9), longest, random.below(100)));
    out.back().priority = static_cast<std::int32_t>(random.below(3));
    out.back().overrides = random.chance(2);
  }
  return out;
}

// A demand of what nobody limits makes each a kind of its own, so that each is looked at.
std::vector<Waiting> as_many_kinds(std::vector<Waiting> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].demand["unlimited"] = api::Quantity(static_cast<std::int64_t>(i) + 1);
  }
  return all;
}

TEST(Kinds, ADecisionByFewKindsIsThatOfLookingAtEach) {
  Random random(1);
  for (int round = 0; round < 600; ++round) {
    const auto strategy = static_cast<Strategy>(round % 3);
    const Limits both = limits_with_a(strategy, random.between(10, 60), random.between(5, 40));
    const std::vector<Waiting> few = crowd_of_few_kinds(random);
    const std::vector<Waiting> many = as_many_kinds(few);
    const std::vector<Running> now = {running("a/r", cpus(random.below(12)), 100),
                                      running("b/r", cpus(random.below(12)), 2000)};
    const std::string promised =
        random.chance(50) ? few[static_cast<std::size_t>(random.below(200))].key() : "";
    const Decision by_kind = decide(at(0), both, now, few, promised);
    const Decision by_each = decide(at(0), both, now, many, promised);
    ASSERT_EQ(by_kind.start, by_each.start) << round;
    for (const auto& [key, answer] : by_each.waiting) {
      const Answer& other = by_kind.waiting.at(key);
      ASSERT_EQ(static_cast<const Reason&>(other), static_cast<const Reason&>(answer)) << key;
    }
  }
}

TEST(Kinds, FollowThoseThatWait) {
  Pending pending = {waiting("a/1", cpus(1)), waiting("a/2", cpus(1)), waiting("b/1", cpus(1))};
  EXPECT_EQ(pending.kinds().size(), 2U);
  pending.insert(waiting("a/1", cpus(1)));
  pending.erase(waiting("a/2", cpus(1)));
  EXPECT_EQ(pending.kinds().begin()->second.size(), 1U);
  pending.erase(pending.begin());
  EXPECT_EQ(pending.kinds().size(), 1U);
  pending.erase(waiting("b/1", cpus(1)));
  EXPECT_TRUE(pending.empty() && pending.kinds().empty());
}

TEST(SnapshotOf, SaysWhetherMoreFitsBesideWhatIsUsed) {
  Usage usage;
  usage.set(running("a/x", cpus(3)));
  const Limits both = limits_with_a(Strategy::StrictFIFO, 10, 4);
  Snapshot left(both, usage);
  EXPECT_EQ(left.shortage("a", cpus(1)), std::nullopt);
  EXPECT_EQ(left.shortage("a", cpus(2)), lacks(kNamespace, "cpu", 4, 1));
  EXPECT_EQ(left.shortage("b", cpus(9)), lacks(kCluster, "cpu", 10, 2));
  left.take("b", cpus(7));
  EXPECT_EQ(left.shortage("a", cpus(1)), lacks(kCluster, "cpu", 10, 1));
  EXPECT_EQ(left.never_fits("a", cpus(4)), std::nullopt);
  EXPECT_EQ(left.never_fits("a", cpus(5)), lacks(kNamespace, "cpu", 4, 1));
}

TEST(EndOf, IsUnknownIfNoTimeHoldsIt) {
  EXPECT_EQ(end_of(waiting("a/x", {}, 5), at(1)), at(6));
  EXPECT_EQ(end_of(waiting("a/x", {}), at(1)), std::nullopt);
  EXPECT_EQ(end_of(waiting("a/x", {}, std::numeric_limits<std::int64_t>::max()), at(1)),
            std::nullopt);
}

// What a decision costs if `count` wait and nobody starts, in CPU time divided by that of one walk
// through all of them. They are of one kind, or each of a kind of its own. (The time of a walk
// alone is no measure: it grows faster than their number, once they do not fit into the processor's
// cache.)
double walks_of_a_decision(Strategy strategy, int count, bool one_kind = false) {
  const Limits hundred = limits(strategy, cpus(100));
  Usage usage;
  usage.set(running("a/r", cpus(50), 1000));
  Pending pending = {waiting("a/head", cpus(100), 10'000)};
  for (int i = 0; i < count; ++i) {
    pending.insert(
        waiting("b/" + std::to_string(i), cpus(60), one_kind ? 10'000 : 10'000 + i, 1 + i));
  }
  const double walk = mc::test::cpu_seconds([&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(std::ranges::count(pending, at(0), &Waiting::created), 1);
    }
  });
  const double decisions = mc::test::cpu_seconds([&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_THAT(schedule(at(0), hundred, usage, pending).admitted(), IsEmpty());
    }
  });
  return decisions / walk;
}

TEST(Cost, OfADecisionGrowsNoMoreThanLinearlyWithThoseThatWait) {
  for (const Strategy strategy : {Strategy::BestEffortFIFO, Strategy::EASYBackfill}) {
    const double few = walks_of_a_decision(strategy, 1'000);
    const double many = walks_of_a_decision(strategy, 16'000);
    // It would be 16 times as many with the square. Other work that empties the processor's cache
    // makes up to 2.6 times as many of a linear one.
    EXPECT_LT(many, 6 * few) << few << " walks, " << many << " walks";
  }
  EXPECT_LT(walks_of_a_decision(Strategy::StrictFIFO, 16'000), 0.1) << "it ends at the head";
}

TEST(Cost, OfADecisionDoesNotGrowWithThoseOfAKind) {
  for (const Strategy strategy : {Strategy::BestEffortFIFO, Strategy::EASYBackfill}) {
    EXPECT_LT(walks_of_a_decision(strategy, 16'000, true), 0.1);
  }
}

}  // namespace
}  // namespace mc::controller::queueing::test
