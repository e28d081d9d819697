#include "tests/services/controller/queueing/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/services/controller/queueing/builders.h"

// What each strategy guarantees, over random loads.
namespace mc::controller::queueing::test {
namespace {

constexpr std::int64_t kLongest = 1000;
constexpr std::uint64_t kSeeds = 40;

struct Load {
  Limits limits;
  std::vector<Arrival> arrivals;
};

// Namespace "a" has two limits, "b" one, "c" none. Each runs 0.1 to 1 times its deadline.
Load random_load(std::uint64_t seed, Strategy strategy, bool priorities) {
  Random random(seed);
  Load load{{strategy, cpus(32, 64), {}}, {}};
  load.limits.namespaces["a"] = {cpus(16, 64), cpus(24, 32)};
  load.limits.namespaces["b"] = {cpus(random.between(16, 32))};
  std::int64_t now = 0;
  for (int i = 0; i < 150; ++i) {
    const std::string ns = std::string(1, static_cast<char>('a' + random.below(3)));
    const std::int64_t cpu = random.chance(10) ? 16 : random.between(1, 6);
    const std::int64_t longest = random.between(10, kLongest);
    Waiting one = waiting(ns + "/" + std::to_string(i),
                          cpus(cpu, random.chance(10) ? 30 : random.between(0, 12)), longest, now);
    if (priorities) one.priority = static_cast<std::int32_t>(random.below(4));
    const std::int64_t runtime = std::max<std::int64_t>(1, longest * random.between(10, 100) / 100);
    load.arrivals.push_back({one, std::chrono::seconds(runtime)});
    now += random.chance(30) ? 0 : random.below(60);
  }
  return load;
}

std::map<std::string, Waiting> by_key(const Load& load) {
  std::map<std::string, Waiting> all;
  for (const Arrival& one : load.arrivals) all[one.waiting.key()] = one.waiting;
  return all;
}

void expect_within(const api::Amounts& hard, const api::Amounts& used) {
  for (const auto& [name, amount] : used) {
    const auto limit = hard.find(name);
    if (limit == hard.end()) continue;
    EXPECT_LE(amount, limit->second) << name;
  }
}

class Simulation : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Simulation, NothingRunsPastALimit) {
  for (const Strategy strategy :
       {Strategy::StrictFIFO, Strategy::BestEffortFIFO, Strategy::EASYBackfill}) {
    const Load load = random_load(GetParam(), strategy, true);
    const std::map<std::string, Waiting> all = by_key(load);
    std::map<std::string, Time> ends;
    std::map<std::string, std::chrono::seconds> runtimes;
    for (const Arrival& one : load.arrivals) runtimes[one.waiting.key()] = one.runtime;
    simulate(load.limits, load.arrivals, [&](const Moment& moment) {
      for (const Waiting& one : moment.started) {
        ends[one.key()] = moment.now + runtimes.at(one.key());
      }
      api::Amounts cluster;
      std::map<std::string, api::Amounts> namespaces;
      for (const auto& [key, end] : ends) {
        if (end <= moment.now) continue;
        add(cluster, all.at(key).demand);
        add(namespaces[all.at(key).ns], all.at(key).demand);
      }
      expect_within(load.limits.hard, cluster);
      for (const auto& [ns, hards] : load.limits.namespaces) {
        for (const api::Amounts& hard : hards) expect_within(hard, namespaces[ns]);
      }
      EXPECT_EQ(moment.site.usage.cluster(), cluster);
    });
  }
}

TEST_P(Simulation, StrictFifoKeepsTheOrder) {
  const Load load = random_load(GetParam(), Strategy::StrictFIFO, true);
  std::map<std::string, Waiting> waits;
  std::size_t next = 0;
  simulate(load.limits, load.arrivals, [&](const Moment& moment) {
    for (; next < load.arrivals.size() && load.arrivals[next].waiting.created <= moment.now;
         ++next) {
      waits[load.arrivals[next].waiting.key()] = load.arrivals[next].waiting;
    }
    for (const Waiting& one : moment.started) waits.erase(one.key());
    for (const Waiting& one : moment.started) {
      for (const auto& [key, other] : waits) {
        if (!Before()(other, one)) continue;
        // It was passed because the first of its namespace waits for the namespace's limit.
        EXPECT_NE(other.ns, one.ns) << key << " " << one.key();
        EXPECT_TRUE(std::ranges::any_of(waits, [&](const auto& entry) {
          const Waiting& first = entry.second;
          if (first.ns != other.ns || Before()(other, first)) return false;
          const auto missing =
              Snapshot(load.limits, moment.site.usage).shortage(first.ns, first.demand);
          return missing && missing->scope == Shortage::Scope::Namespace;
        })) << key;
      }
    }
  });
}

// While one waits, those that run end within the longest time; then the first of those that wait
// for their namespace fits into it, then the head starts, then it is the head itself.
TEST_P(Simulation, EveryoneStartsInBoundedTime) {
  for (const Strategy strategy : {Strategy::StrictFIFO, Strategy::EASYBackfill}) {
    const Load load = random_load(GetParam(), strategy, false);
    const std::vector<Time> starts = simulate(load.limits, load.arrivals);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      std::int64_t ahead = 0;
      for (std::size_t j = 0; j < starts.size(); ++j) {
        const Waiting& other = load.arrivals[j].waiting;
        if (Before()(other, load.arrivals[i].waiting) &&
            starts[j] >= load.arrivals[i].waiting.created) {
          ++ahead;
        }
      }
      ASSERT_NE(starts[i], Time::max()) << load.arrivals[i].waiting.key();
      EXPECT_LE(starts[i] - load.arrivals[i].waiting.created,
                std::chrono::seconds(3 * kLongest * (ahead + 1)))
          << load.arrivals[i].waiting.key();
    }
  }
}

// At whatever priority others arrive.
TEST_P(Simulation, NoHeadStartsLaterThanItWasTold) {
  const Load load = random_load(GetParam(), Strategy::EASYBackfill, true);
  std::map<std::string, Time> told;
  std::size_t kept = 0;
  simulate(load.limits, load.arrivals, [&](const Moment& moment) {
    for (const Waiting& one : moment.started) {
      if (!told.contains(one.key())) continue;
      EXPECT_LE(moment.now, told.at(one.key())) << one.key();
      told.erase(one.key());
      ++kept;
    }
    if (moment.site.promise) {
      const std::string key = moment.site.head->key();
      const auto [known, first_time] = told.emplace(key, *moment.site.promise);
      EXPECT_TRUE(first_time || *moment.site.promise <= known->second) << key;
      known->second = *moment.site.promise;
    }
    EXPECT_LE(told.size(), 1U) << "only one is promised a start";
  });
  EXPECT_GT(kept, 3U) << "the load is too low to show anything";
}

INSTANTIATE_TEST_SUITE_P(Seeds, Simulation, testing::Range<std::uint64_t>(1, kSeeds + 1));

// A small one every 10 seconds, so that 9 run at a time; a large one at 205.
std::vector<Arrival> stream_of_small_ones() {
  std::vector<Arrival> arrivals;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t now = 10 * i;
    if (now == 210) {
      arrivals.push_back({waiting("a/large", cpus(8), 100, 205), std::chrono::seconds(100)});
    }
    arrivals.push_back(
        {waiting("b/" + std::to_string(i), cpus(1), 100, now), std::chrono::seconds(90)});
  }
  return arrivals;
}

std::int64_t wait_of_the_large_one(const Limits& limits, const std::vector<Arrival>& arrivals) {
  const std::vector<Time> starts = simulate(limits, arrivals);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (arrivals[i].waiting.name == "large") return (starts[i] - at(205)).count();
  }
  return -1;
}

TEST(Starvation, OnlyBestEffortFifoLetsALargeOneWaitForEver) {
  const std::vector<Arrival> arrivals = stream_of_small_ones();
  const auto wait = [&](Strategy strategy) {
    return wait_of_the_large_one({strategy, cpus(10), {}}, arrivals);
  };
  EXPECT_LE(wait(Strategy::StrictFIFO), 100);
  EXPECT_LE(wait(Strategy::EASYBackfill), 100);
  EXPECT_GT(wait(Strategy::BestEffortFIFO), 9000);
}

TEST(Starvation, TheSameHoldsWithinANamespace) {
  std::vector<Arrival> arrivals = stream_of_small_ones();
  for (Arrival& one : arrivals) one.waiting.ns = "a";
  const auto wait = [&](Strategy strategy) {
    return wait_of_the_large_one({strategy, cpus(1000), {{"a", {cpus(10)}}}}, arrivals);
  };
  EXPECT_LE(wait(Strategy::StrictFIFO), 100);
  EXPECT_LE(wait(Strategy::EASYBackfill), 100);
  EXPECT_GT(wait(Strategy::BestEffortFIFO), 9000);
}

// Two namespaces on 64 CPUs for a week, each of which always has 8 MiniClusters that wait. Returns
// the CPU seconds of "a" for each of "b".
double relation_of_use(const FairSharePolicy& policy, Strategy strategy, std::uint64_t seed) {
  Random random(seed);
  Site site{{strategy, cpus(64), {}}};
  site.fair_share.emplace(policy, site.limits.hard);
  std::multimap<Time, Waiting> ends;
  std::map<std::string, double> used;  // CPU seconds
  std::map<std::string, int> waits;
  int number = 0;
  for (std::int64_t now = 0; now < 604'800; now += 300) {
    for (; !ends.empty() && ends.begin()->first <= at(now); ends.erase(ends.begin())) {
      site.end(ends.begin()->second.key(), at(now));
    }
    for (const char* ns : {"a", "b"}) {
      for (; waits[ns] < 8; ++waits[ns]) {
        const std::string key = std::string(ns) + "/" + std::to_string(number++);
        // In this order: that of the arguments of a call is up to the compiler.
        const std::int64_t cpu = random.between(1, 16), longest = random.between(600, 21'600);
        site.pending.insert(waiting(key, cpus(cpu), longest, now));
      }
    }
    for (const Waiting& one : site.decide(at(now))) {
      --waits[one.ns];
      const double cpu = static_cast<double>(one.demand.at("cpu").nano()) / 1e9;
      used[one.ns] += cpu * static_cast<double>(one.longest->count());
      ends.emplace(at(now) + *one.longest, one);
    }
  }
  return used["a"] / used["b"];
}

TEST(FairShareSimulation, UseFollowsTheWeights) {
  const FairSharePolicy equal{std::chrono::days(7)}, three{std::chrono::days(7), {{"a", 3}}};
  for (const Strategy strategy : {Strategy::StrictFIFO, Strategy::EASYBackfill}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      EXPECT_NEAR(relation_of_use(equal, strategy, seed), 1, 0.05);
      // The age of those that wait longer takes a little of it.
      EXPECT_NEAR(relation_of_use(three, strategy, seed), 2.75, 0.25);
    }
  }
}

// "flood" creates 400 at once, of which 8 run at a time for an hour; a light user comes later, each
// hour with one.
std::vector<Arrival> flood_and_light_user() {
  constexpr std::chrono::seconds kHour{3600};
  std::vector<Arrival> arrivals;
  for (int i = 0; i < 400; ++i) {
    arrivals.push_back({waiting("flood/" + std::to_string(i), cpus(8), 3600), kHour});
  }
  for (std::int64_t i = 1; i <= 40; ++i) {
    const std::string key = "light/" + std::to_string(i);
    arrivals.push_back({waiting(key, cpus(8), 3600, 3600 * i + 1), kHour});
  }
  return arrivals;
}

std::chrono::seconds longest_wait(const std::vector<Arrival>& arrivals,
                                  const std::vector<Time>& starts, const std::string& ns) {
  std::chrono::seconds out{0};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (arrivals[i].waiting.ns != ns) continue;
    out = std::max(out, starts[i] - arrivals[i].waiting.created);
  }
  return out;
}

TEST(FairShareSimulation, OneThatFloodsTheQueueHoldsUpNoLightUser) {
  const std::vector<Arrival> arrivals = flood_and_light_user();
  const FairSharePolicy policy{std::chrono::days(7)};
  for (const Strategy strategy :
       {Strategy::StrictFIFO, Strategy::BestEffortFIFO, Strategy::EASYBackfill}) {
    const Limits limits{strategy, cpus(64), {}};
    EXPECT_GT(longest_wait(arrivals, simulate(limits, arrivals), "light"), std::chrono::hours(40));
    const auto starts = simulate(limits, arrivals, nullptr, policy);
    EXPECT_LE(longest_wait(arrivals, starts, "light"), std::chrono::hours(1));
    EXPECT_LE(longest_wait(arrivals, starts, "flood"), std::chrono::hours(56)) << "55 without gaps";
  }
}

// Each hour one of a namespace that has used nothing, for a hundred hours on a site that they fill.
TEST(FairShareSimulation, NobodyWaitsForEver) {
  constexpr std::chrono::seconds kHour{3600};
  std::vector<Arrival> arrivals;
  arrivals.push_back({waiting("old/first", cpus(64), 3600), kHour});
  arrivals.push_back({waiting("old/second", cpus(64), 3600, 1), kHour});
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::string key = "new-" + std::to_string(i) + "/a";
    arrivals.push_back({waiting(key, cpus(64), 3600, 3600 * i + 2), kHour});
  }
  const FairSharePolicy policy{std::chrono::hours(5)};
  const auto starts = simulate({Strategy::StrictFIFO, cpus(64), {}}, arrivals, nullptr, policy);
  EXPECT_GT(starts[1], at(7200)) << "others that used nothing passed it";
  EXPECT_LE(starts[1], at((kMostAhead * 5 + 1) * 3600));
}

// The promise of a bounded wait, over random loads: nobody is passed by one that came more than
// kMostAhead half-lives later.
TEST_P(Simulation, FairShareLetsNobodyPassWhoComesMuchLater) {
  const Load load = random_load(GetParam(), Strategy::StrictFIFO, false);
  const Limits limits{Strategy::StrictFIFO, load.limits.hard, {}};
  const FairSharePolicy policy{std::chrono::seconds(60)};
  const std::vector<Time> starts = simulate(limits, load.arrivals, nullptr, policy);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    for (std::size_t j = i + 1; j < starts.size(); ++j) {
      const auto later = load.arrivals[j].waiting.created - load.arrivals[i].waiting.created;
      if (later <= policy.half_life * kMostAhead) continue;
      EXPECT_LE(starts[i], starts[j]) << load.arrivals[i].waiting.key();
    }
  }
}

}  // namespace
}  // namespace mc::controller::queueing::test
