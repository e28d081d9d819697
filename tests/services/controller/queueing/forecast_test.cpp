#include "services/controller/queueing/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/services/controller/queueing/builders.h"
#include "tests/support/cpu_time.h"

namespace mc::controller::queueing::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// On every step up to a day.
constexpr std::int64_t kMidnight = 1'700'006'400 - 1'700'000'000;
Time after(std::int64_t time) { return at(kMidnight + time); }

struct Expectations {
  Strategy strategy = Strategy::EASYBackfill;
  std::int64_t cpu = 10;
  std::vector<Running> running = {};
  std::vector<Waiting> waiting = {};
  RunHistory history = {};
};

// When each is expected to start, in seconds after now; those without an estimate are absent.
std::map<std::string, std::int64_t> estimates(const Expectations& site,
                                              const std::string& promised = "") {
  Usage usage;
  for (Running one : site.running) {
    if (one.end) *one.end += seconds(kMidnight);
    usage.set(one);
  }
  const Pending pending(site.waiting.begin(), site.waiting.end());
  const auto head = std::ranges::find(pending, promised, &Waiting::key);
  const Limits limits{site.strategy, cpus(site.cpu), {}};
  std::map<std::string, std::int64_t> out;
  for (const Estimate& one : forecast(after(0), limits, usage, pending,
                                      head == pending.end() ? nullptr : &*head, site.history)) {
    out[one.key] = (one.start - after(0)).count();
  }
  return out;
}

using Starts = std::map<std::string, std::int64_t>;

TEST(Forecast, StartsEachOnceEnoughOfThoseBeforeHaveEnded) {
  EXPECT_EQ(
      estimates({.running = {running("a/r", cpus(8), 600)},
                 .waiting = {waiting("a/1", cpus(8), 1200, 0), waiting("a/2", cpus(8), 600, 1),
                             waiting("a/3", cpus(8), 600, 2)}}),
      (Starts{{"a/1", 600}, {"a/2", 1800}, {"a/3", 2400}}));
}

TEST(Forecast, FollowsTheStrategy) {
  const std::vector<Running> now = {running("a/r", cpus(6), 600)};
  const std::vector<Waiting> queue = {waiting("a/1", cpus(8), 600, 0),
                                      waiting("a/2", cpus(2), 7000, 1)};
  EXPECT_EQ(estimates({Strategy::StrictFIFO, 10, now, queue}),
            (Starts{{"a/1", 600}, {"a/2", 600}}));
  EXPECT_EQ(estimates({Strategy::BestEffortFIFO, 10, now, queue}),
            (Starts{{"a/1", 600}, {"a/2", 60}}));
  EXPECT_EQ(estimates({Strategy::EASYBackfill, 9, now, queue}),
            (Starts{{"a/1", 600}, {"a/2", 1200}}));
}

TEST(Forecast, KeepsAPromise) {
  Waiting urgent = waiting("a/urgent", cpus(8), 600, 5);
  urgent.priority = 10;
  const Expectations site{.running = {running("a/r", cpus(8), 600)},
                          .waiting = {waiting("a/head", cpus(8), 600, 0), urgent}};
  EXPECT_EQ(estimates(site), (Starts{{"a/urgent", 600}, {"a/head", 1200}}));
  EXPECT_EQ(estimates(site, "a/head"), (Starts{{"a/head", 600}, {"a/urgent", 1200}}));
}

TEST(Forecast, ExpectsRunsToLastAsLongAsThoseOfTheirNamespaceDid) {
  Expectations site{
      .running = {running("a/r", cpus(8), 6000)},
      .waiting = {waiting("b/1", cpus(8), 6000, 0), waiting("a/2", cpus(8), 6000, 1)}};
  site.running[0].started = after(-600);
  for (int i = 0; i < 3; ++i) {
    site.history.add("a", {at(i), std::to_string(i), seconds(200), seconds(1000)});
  }
  EXPECT_EQ(estimates(site), (Starts{{"b/1", 720}, {"a/2", 6900}}))
      << "a fifth of 6600 s, of which 600 have passed; b has no history";
}

// Otherwise it would change with each minute that passes.
TEST(Forecast, HasNoEstimateBehindOneThatShouldHaveEnded) {
  EXPECT_EQ(estimates({.running = {running("a/r", cpus(8), 0)},
                       .waiting = {waiting("a/1", cpus(8), 600, 0)}}),
            Starts());
}

TEST(Forecast, HasNoEstimateWithoutKnownEndsOrForWhatNeverFits) {
  EXPECT_EQ(estimates({.running = {running("a/r", cpus(8))},
                       .waiting = {waiting("a/1", cpus(8), 600, 0), waiting("a/2", cpus(11), 6, 1),
                                   waiting("a/3", cpus(2), 600, 2)}}),
            (Starts{{"a/3", 60}}));
}

TEST(Forecast, EndsAfterThirtyDays) {
  const std::int64_t day = 86'400;
  EXPECT_EQ(estimates({.running = {running("a/r", cpus(8), 29 * day)},
                       .waiting = {waiting("a/1", cpus(8), 5 * day, 0),
                                   waiting("a/2", cpus(8), 5 * day, 1)}}),
            (Starts{{"a/1", 29 * day}}));
}

TEST(Forecast, HasTheFirstHundredOnly) {
  Expectations site{.running = {running("a/r", cpus(10), 600)}};
  for (int i = 0; i < 150; ++i) {
    site.waiting.push_back(waiting("a/" + std::to_string(i), cpus(10), 60, i));
  }
  const auto found = estimates(site);
  EXPECT_EQ(found.size(), kMostEstimates);
  EXPECT_EQ(found.count("a/99"), 1U);
}

TEST(Forecast, TimesAreToldInStepsThatGrowWithTheirDistance) {
  EXPECT_EQ(rounded_up(after(0), after(0)), after(60)) << "later than now";
  EXPECT_EQ(rounded_up(after(-500), after(0)), after(60));
  EXPECT_EQ(rounded_up(after(61), after(0)), after(120));
  EXPECT_EQ(rounded_up(after(3601), after(0)), after(3900));
  EXPECT_EQ(rounded_up(after(10'801), after(0)), after(11'700));
  EXPECT_EQ(rounded_up(after(21'601), after(0)), after(25'200));
  EXPECT_EQ(rounded_up(after(90'000), after(0)), after(108'000));
  EXPECT_EQ(rounded_up(after(518'401), after(0)), after(604'800));
  EXPECT_EQ(rounded_up(Time::max(), after(0)), Time::max());
}

// A leader with many that run and wait makes one every 10 s.
TEST(Forecast, TakesATimeThatGrowsLinearlyWithThoseThatRun) {
  const auto cpu = [](int runs) {
    Usage usage;
    Random random(1);
    for (int i = 0; i < runs; ++i) {
      Running one = running("ns-" + std::to_string(i % 10) + "/" + std::to_string(i), cpus(1),
                            random.between(1, 200'000));
      one.started = at(random.between(-10'000, 0));
      usage.set(one);
    }
    Pending pending;
    for (int i = 0; i < 100; ++i) {
      pending.insert(waiting("lab/" + std::to_string(i), cpus(random.between(1, runs / 2)),
                             random.between(60, 100'000), i));
    }
    const Limits limits{Strategy::EASYBackfill, cpus(runs), {}};
    return mc::test::cpu_seconds([&] { forecast(at(0), limits, usage, pending, nullptr, {}); });
  };
  EXPECT_LT(cpu(8000), 16 * cpu(1000));
}

}  // namespace
}  // namespace mc::controller::queueing::test
