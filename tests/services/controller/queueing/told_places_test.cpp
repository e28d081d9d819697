#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "common/api/model/reasons.h"
#include "services/controller/queueing/queue.h"
#include "tests/services/controller/queueing/builders.h"
#include "tests/support/cpu_time.h"
#include "tests/support/sanitized.h"

// The places that those that wait are told.
namespace mc::controller::queueing {
namespace {

using queueing::test::at;
using queueing::test::cpus;
using queueing::test::limit;
using queueing::test::waits;

constexpr std::int64_t kLimit = 4;

std::string key_of(std::size_t number) { return "lab/m" + std::to_string(number); }

// The place that is told to one with so many before it.
std::int64_t place_behind(std::size_t ahead) {
  if (ahead < 10) return static_cast<std::int64_t>(ahead) + 1;
  return ahead < 100 ? 11 : ahead < 1000 ? 101 : 1001;
}

// Those whose condition says something else than their place in the queue of now.
std::size_t wrong(const Queue& queue, std::int64_t hard) {
  std::size_t ahead = 0, out = 0;
  for (const auto& one : queue.contents(10'000, at(0)).pending) {
    const bool fits = one.waiting.demand.at("cpu") <= cpus(hard).at("cpu");
    const auto condition = queue.reservation(one.waiting.key()).condition;
    const bool is_right =
        condition && (fits ? condition->position == place_behind(ahead)
                           : condition->reason == std::string(api::kReasonNeverFits));
    if (!is_right) ++out;
    if (fits) ++ahead;
  }
  return out;
}

class ToldPlaces : public testing::Test {
 protected:
  ToldPlaces() {
    queue_.set_policy(limit(kLimit), {}, "");
    Workload runs = queueing::test::running_workload(kLimit);
    queue_.set("lab/runs", runs, at(0));
  }
  void fill(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) put(i);
  }
  void put(std::size_t number, std::int64_t cpu = 1) {
    queue_.set(key_of(number), waits(cpu, static_cast<std::int64_t>(number)), at(0));
  }
  void remove(std::size_t number) { queue_.set(key_of(number), Workload(), at(0)); }

  Queue queue_;
};

TEST_F(ToldPlaces, FollowTheQueueWhoeverComesAndGoes) {
  std::mt19937 random(1);
  const auto pick = [&](std::size_t count) { return random() % count; };
  fill(1100);
  queue_.tell(at(0));
  ASSERT_EQ(wrong(queue_, kLimit), 0U);
  std::int64_t hard = kLimit;
  for (int step = 0; step < 60; ++step) {
    for (std::size_t i = pick(20); i > 0; --i) {
      const std::size_t number = pick(1300);
      if (pick(3) == 0) {
        put(number, static_cast<std::int64_t>(1 + pick(6)));
      } else if (pick(2) == 0) {
        remove(number);
      } else {
        put(number);
      }
    }
    if (pick(10) == 0) {
      hard = 3 + static_cast<std::int64_t>(pick(3));
      queue_.set_policy(limit(hard), {}, "");
    }
    queue_.tell(at(step));
    ASSERT_EQ(wrong(queue_, hard), 0U) << "step " << step;
  }
}

TEST_F(ToldPlaces, AreToldToNobodyTwice) {
  fill(1100);
  EXPECT_EQ(queue_.tell(at(0)).size(), 1100U);
  EXPECT_TRUE(queue_.tell(at(1)).empty());
  remove(0);
  EXPECT_EQ(queue_.tell(at(2)).size(), 10U + 1 + 1) << "the first ten, the 101st, the 1001st";
}

// One turn a second for as long as they wait: otherwise the time for all would grow with its
// square.
TEST_F(ToldPlaces, TakeTheSameTimeHoweverManyWait) {
  if (mc::test::kSanitized) GTEST_SKIP() << "measures time";
  const auto time_of_turns = [&] {
    queue_.tell(at(0));
    return mc::test::cpu_seconds([&] {
      for (int i = 0; i < 20; ++i) {
        put(5'000'000);
        queue_.tell(at(1));
        remove(5'000'000);
        queue_.tell(at(1));
      }
    });
  };
  fill(2'000);
  const double few = time_of_turns();
  fill(20'000);
  EXPECT_LT(time_of_turns(), 4 * few);
}

}  // namespace
}  // namespace mc::controller::queueing
