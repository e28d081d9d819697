#include "services/controller/queueing/incremental.h"

#include <gmock/gmock.h>
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> keys_of(const std::vector<Waiting>& all) {
  std::vector<std::string> keys;
  for (const Waiting& one : all) keys.push_back(one.key());
  return keys;
}

// A Queue, and the same state in plain containers, for decide().
class Twins {
 public:
  explicit Twins(std::uint64_t seed) : random_(seed), queue_(random_limits()) {
    queue_.set_limits(limits_);
  }

  void act() {
    now_ += random_.chance(50) ? 0 : random_.below(40);
    const std::string key = random_key();
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return arrive(key);
      case 5:
        return leave(key);
      case 6:
      case 7:
        return count(key);
      case 8:
      case 9:
      case 10:
        return end_one();
      default:
        if (random_.chance(20)) queue_.set_limits(random_limits());
    }
  }

  void decide_both() {
    const Decision expected = decide(at(now_), limits_, counted_, values(waits_));
    const std::vector<Waiting> started = queue_.decide(at(now_));
    ASSERT_EQ(keys_of(started), expected.start);
    for (const Waiting& one : started) start(one.key());
    for (auto& [key, one] : waits_) one.promised = expected.waiting.at(key).promised;
    ASSERT_EQ(queue_.size(), waits_.size());
    std::map<std::string, Answer> answers;
    for (const auto& [key, unused] : waits_) answers[key] = *queue_.answer(key, at(now_));
    for (const auto& [key, answer] : expected.waiting) {
      const Answer& got = answers.at(key);
      ASSERT_EQ(got, answer) << key << ": " << got.never_fits << " " << got.place << " behind '"
                             << got.behind << "', expected " << answer.never_fits << " "
                             << answer.place << " behind '" << answer.behind << "'";
    }
    api::Amounts used;
    for (const Running& one : counted_) add(used, one.amounts);
    ASSERT_EQ(queue_.usage().cluster(), used);
    ASSERT_THAT(queue_.decide(at(now_)), IsEmpty());  // nobody was forgotten
  }

 private:
  template <class Value>
  static std::vector<Value> values(const std::map<std::string, Value>& map) {
    std::vector<Value> out;
    for (const auto& [unused, value] : map) out.push_back(value);
    return out;
  }

  const Limits& random_limits() {
    limits_.strategy =
        std::vector{Strategy::StrictFIFO, Strategy::BestEffortFIFO,
                    Strategy::EASYBackfill}[static_cast<std::size_t>(random_.below(3))];
    limits_.hard = cpus(random_.between(5, 14));
    if (random_.chance(50)) limits_.hard["memory"] = api::Quantity(random_.between(4, 12));
    limits_.namespaces.clear();
    if (random_.chance(60)) limits_.namespaces["a"] = {cpus(random_.between(3, 9))};
    if (random_.chance(40)) limits_.namespaces["a"].push_back(cpus(12, random_.between(2, 9)));
    if (random_.chance(40)) limits_.namespaces["b"] = {cpus(random_.between(2, 6))};
    return limits_;
  }

  std::string random_key() {
    return std::string(1, static_cast<char>('a' + random_.below(3))) + "/" +
           std::to_string(random_.below(8));
  }

  std::optional<std::int64_t> random_time() {
    if (random_.chance(15)) return std::nullopt;
    return random_.between(1, 20) * 10;
  }

  void arrive(const std::string& key) {
    Waiting one = waiting(key, cpus(random_.below(7), random_.below(4)), random_time(),
                          now_ - random_.below(30));
    if (random_.chance(30)) one.priority = static_cast<std::int32_t>(random_.below(3));
    if (random_.chance(5)) one.promised = at(now_ + 50);  // told by an earlier leader
    queue_.wait(one);
    if (const auto known = waits_.find(key); known != waits_.end()) {
      one.promised = known->second.promised;
      if (one == known->second) return;
      one.promised.reset();
    }
    waits_[key] = one;
  }

  void leave(const std::string& key) {
    queue_.leave(key);
    waits_.erase(key);
  }

  void count(const std::string& key) {
    std::optional<std::int64_t> end = random_time();
    if (end) *end += now_ - 20;
    const Running one = running(key, cpus(random_.below(4), random_.below(3)), end);
    queue_.count(one);
    forget(key);
    counted_.push_back(one);
  }

  void end_one() {
    if (counted_.empty()) return;
    const auto number = random_.below(static_cast<std::int64_t>(counted_.size()));
    const std::string key = counted_[static_cast<std::size_t>(number)].key;
    queue_.release(key);
    forget(key);
  }

  void forget(const std::string& key) {
    std::erase_if(counted_, [&](const Running& one) { return one.key == key; });
  }

  void start(const std::string& key) {
    const Waiting& one = waits_.at(key);
    counted_.push_back({key, one.ns, one.demand, end_of(one, at(now_))});
    waits_.erase(key);
  }

  Random random_;
  std::int64_t now_ = 0;
  Limits limits_;
  Queue queue_;
  std::map<std::string, Waiting> waits_;
  std::vector<Running> counted_;
};

TEST(Queue, AnswersAsDecideDoesWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Twins twins(seed);
    Random random(seed);
    for (int step = 0; step < 120; ++step) {
      twins.act();
      if (random.chance(60)) twins.decide_both();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

TEST(Queue, AnswersOnlyAfterADecision) {
  Queue queue({Strategy::StrictFIFO, cpus(1), {}});
  queue.wait(waiting("a/x", cpus(1)));
  queue.wait(waiting("a/y", cpus(1), {}, 1));
  EXPECT_EQ(queue.answer("a/y", at(0)), std::nullopt);
  EXPECT_THAT(keys_of(queue.decide(at(0))), ElementsAre("a/x"));
  EXPECT_EQ(queue.answer("a/x", at(0)), std::nullopt);
  EXPECT_EQ(queue.answer("a/y", at(0))->place, 1U);
  queue.release("a/x");
  EXPECT_EQ(queue.answer("a/y", at(0)), std::nullopt);
}

TEST(Queue, WhatDidNotChangeKeepsItsPromise) {
  Queue queue({Strategy::EASYBackfill, cpus(10), {}});
  queue.count(running("a/r", cpus(6), 100));
  queue.wait(waiting("a/head", cpus(7), 1000));
  EXPECT_THAT(queue.decide(at(0)), IsEmpty());
  queue.wait(waiting("a/head", cpus(7), 1000));
  Waiting urgent = waiting("a/urgent", cpus(8), 1000);
  urgent.priority = 1;
  queue.wait(urgent);
  EXPECT_THAT(queue.decide(at(0)), IsEmpty());
  EXPECT_EQ(queue.answer("a/head", at(0))->promised, at(100));
  EXPECT_EQ(queue.promised(), at(100));
  EXPECT_THAT(queue.first(10), ElementsAre("a/urgent", "a/head"));
  EXPECT_THAT(queue.first(1), ElementsAre("a/urgent"));
}

// One starts at a time, so the heap is seen in whole.
TEST(Queue, StartsInTheOrderOfASortedList) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    Random random(seed);
    const api::Amounts one = {{"miniclusters", api::Quantity(1)}};
    Queue queue({Strategy::StrictFIFO, one, {}});
    std::vector<Waiting> reference;
    std::string running;
    for (int step = 0; step < 400; ++step) {
      const std::string key = std::string(1, static_cast<char>('a' + random.below(4))) + "/" +
                              std::to_string(random.below(60));
      if (random.chance(60) && key != running) {
        Waiting changed = waiting(key, one, {}, random.below(5));
        changed.priority = static_cast<std::int32_t>(random.between(-2, 2));
        queue.wait(changed);
        std::erase_if(reference, [&](const Waiting& other) { return other.key() == key; });
        reference.push_back(changed);
      } else if (random.chance(30)) {
        queue.leave(key);
        std::erase_if(reference, [&](const Waiting& other) { return other.key() == key; });
      } else if (!running.empty()) {
        queue.release(running);
        running.clear();
      }
      std::ranges::sort(reference, before);
      std::vector<std::string> expected;
      if (running.empty() && !reference.empty()) {
        running = reference.front().key();
        expected.push_back(running);
        reference.erase(reference.begin());
      }
      ASSERT_EQ(keys_of(queue.decide(at(0))), expected) << "seed " << seed << ", step " << step;
      ASSERT_EQ(queue.first(1000), keys_of(reference)) << "seed " << seed << ", step " << step;
    }
  }
}

// What each of many demands: too much for BestEffortFIFO; otherwise it would fit, but may not pass
// the head.
api::Amounts demand_of_many(Strategy strategy) {
  return cpus(strategy == Strategy::BestEffortFIFO ? 60 : 1);
}

// A queue in which `count` wait behind a head that needs everything.
void fill(Queue& queue, Strategy strategy, int count) {
  queue.count(running("a/r", cpus(50), 1000));
  queue.wait(waiting("a/head", cpus(100), 10'000));
  for (int i = 0; i < count; ++i) {
    queue.wait(waiting("b/" + std::to_string(i), demand_of_many(strategy), 10'000, 1 + i));
  }
  EXPECT_THAT(queue.decide(at(0)), IsEmpty());
}

// What a decision costs after something small has ended, in CPU time.
double cost_of_an_end(Queue& queue) {
  return mc::test::cpu_seconds([&] {
    for (int i = 0; i < 5; ++i) {
      queue.count(running("a/small", cpus(1), 900));
      queue.release("a/small");
      EXPECT_THAT(queue.decide(at(0)), IsEmpty());
    }
  });
}

double cost_of_an_end(Strategy strategy, int count) {
  Queue queue({strategy, cpus(100), {}});
  fill(queue, strategy, count);
  return cost_of_an_end(queue);
}

// The same in units of walking once through those that wait, which costs more than four times as
// much for four times as many, because they do not fit into the processor's cache.
double walks_of_an_end(Strategy strategy, int count) {
  Queue queue({strategy, cpus(100), {}});
  fill(queue, strategy, count);
  const double walk = mc::test::cpu_seconds([&] {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.first(1).size(), 1U);
  });
  return cost_of_an_end(queue) / walk;
}

// CPU time of 200 arrivals, each with its decision.
double cost_of_arrivals(Strategy strategy, int count) {
  Queue queue({strategy, cpus(100), {}});
  fill(queue, strategy, count);
  return mc::test::cpu_seconds([&] {
    for (int i = 0; i < 200; ++i) {
      queue.wait(waiting("b/x", demand_of_many(strategy), 10'000, 500));
      EXPECT_THAT(queue.decide(at(0)), IsEmpty());
      queue.leave("b/x");
    }
  });
}

TEST(Cost, OfADecisionAfterAnEndGrowsNoMoreThanLinearly) {
  for (const Strategy strategy : {Strategy::BestEffortFIFO, Strategy::EASYBackfill}) {
    const double few = walks_of_an_end(strategy, 2'500);
    const double many = walks_of_an_end(strategy, 10'000);
    EXPECT_LT(many, 2.5 * few) << few << " walks, " << many << " walks";
  }
}

TEST(Cost, OfAnArrivalDoesNotGrowWithTheQueueNorDoesThatOfAnEndWithStrictFifo) {
  for (const Strategy strategy :
       {Strategy::StrictFIFO, Strategy::BestEffortFIFO, Strategy::EASYBackfill}) {
    const double few = cost_of_arrivals(strategy, 1'000);
    const double many = cost_of_arrivals(strategy, 10'000);
    EXPECT_LT(many, 3 * few) << few << " s, " << many << " s";
  }
  const double few = cost_of_an_end(Strategy::StrictFIFO, 1'000);
  const double many = cost_of_an_end(Strategy::StrictFIFO, 10'000);
  EXPECT_LT(many, 3 * few) << few << " s, " << many << " s";
}

}  // namespace
}  // namespace mc::controller::queueing::test
