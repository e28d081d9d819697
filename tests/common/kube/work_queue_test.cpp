#include "common/kube/work_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/common/kube/manual_clock.h"

namespace mc::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using Running = std::vector<std::pair<WorkQueue::Key, milliseconds>>;

// One thread and a manual clock: take() is called only when something must be ready.
class WorkQueueTest : public testing::Test {
 protected:
  // Takes everything that is ready now, in order, and marks it as done.
  std::string ready() {
    std::string keys;
    std::vector<std::string> taken;
    queue_.add("sentinel");
    for (;;) {
      const auto key = *queue_.take({});
      taken.push_back(key);
      if (key == "sentinel") break;
      keys += (keys.empty() ? "" : " ") + key;
    }
    for (const auto& key : taken) queue_.done(key);
    return keys;
  }

  ManualClock clock_;
  WorkQueue queue_{clock_};
};

TEST_F(WorkQueueTest, TheSameKeyIsTakenOnceInOrderOfItsFirstAdd) {
  queue_.add("b");
  queue_.add("a");
  queue_.add("b");
  EXPECT_EQ(queue_.stats().depth, 2u);
  EXPECT_EQ(ready(), "b a");
  EXPECT_EQ(ready(), "");
}

TEST_F(WorkQueueTest, ItsContentsAreCountsAndTheRunningKeysLongestFirst) {
  queue_.add("old");
  EXPECT_EQ(queue_.take({}), "old");
  clock_.advance(seconds{2});
  for (const char* key : {"b", "a", "ready"}) queue_.add(key);
  EXPECT_EQ(queue_.take({}), "b");
  EXPECT_EQ(queue_.take({}), "a");
  queue_.add_after("later", seconds{5});
  queue_.add_rate_limited("failed", seconds{3});
  clock_.advance(seconds{1});
  const WorkQueue::Contents contents = queue_.contents();
  EXPECT_EQ(contents.stats.depth, 1U);
  EXPECT_EQ(contents.stats.waiting, 2U);
  EXPECT_EQ(contents.stats.running, 3U);
  EXPECT_EQ(contents.failing, 1U);
  EXPECT_EQ(contents.next_due, seconds{2});
  EXPECT_EQ(contents.running, (Running{{"old", seconds{3}}, {"a", seconds{1}}, {"b", seconds{1}}}));
}

TEST_F(WorkQueueTest, AKeyThatIsDueButNotTakenIsDueInNoTime) {
  EXPECT_EQ(queue_.contents().next_due, std::nullopt);
  queue_.add_after("a", seconds{1});
  clock_.advance(seconds{9});
  EXPECT_EQ(queue_.contents().next_due, milliseconds{0});
}

TEST_F(WorkQueueTest, AKeyAddedWhileItRunsIsTakenAgainAfterIt) {
  queue_.add("a");
  EXPECT_EQ(queue_.take({}), "a");
  queue_.add("a");
  queue_.add("a");
  EXPECT_EQ(ready(), "");
  EXPECT_EQ(queue_.stats().running, 1u);
  queue_.done("a");
  EXPECT_EQ(ready(), "a");
  EXPECT_EQ(ready(), "");
}

TEST_F(WorkQueueTest, AKeyIsReadyWhenItsTimeHasCome) {
  queue_.add_after("a", seconds{10});
  EXPECT_EQ(ready(), "");
  EXPECT_EQ(queue_.stats().waiting, 1u);
  clock_.advance(milliseconds{9999});
  EXPECT_EQ(ready(), "");
  clock_.advance(milliseconds{1});
  queue_.add("x");
  EXPECT_EQ(queue_.take({}), "x");
  EXPECT_EQ(queue_.take({}), "a");
  EXPECT_EQ(queue_.stats().waiting, 0u);
}

TEST_F(WorkQueueTest, TheEarliestTimeWins) {
  queue_.add_after("a", seconds{10});
  queue_.add_after("a", seconds{5});
  queue_.add_after("a", seconds{20});
  clock_.advance(seconds{5});
  EXPECT_EQ(queue_.take({}), "a");
  queue_.done("a");
  clock_.advance(seconds{60});
  EXPECT_EQ(ready(), "");
}

TEST_F(WorkQueueTest, AnAddReplacesALaterTime) {
  queue_.add_after("a", seconds{10});
  queue_.add("a");
  EXPECT_EQ(ready(), "a");
  clock_.advance(seconds{60});
  EXPECT_EQ(ready(), "");
}

TEST_F(WorkQueueTest, APassThatIsSureToComeMakesALaterOneSuperfluous) {
  queue_.add("a");
  EXPECT_EQ(queue_.take({}), "a");
  queue_.add("a");
  queue_.add_after("a", seconds{10});
  queue_.done("a");
  EXPECT_EQ(ready(), "a");
  clock_.advance(seconds{60});
  EXPECT_EQ(ready(), "");
}

TEST_F(WorkQueueTest, AKeyWhoseTimeComesWhileItRunsIsTakenAgainAfterIt) {
  queue_.add("a");
  EXPECT_EQ(queue_.take({}), "a");
  queue_.add_after("a", seconds{1});
  clock_.advance(seconds{1});
  EXPECT_EQ(ready(), "");
  queue_.done("a");
  EXPECT_EQ(ready(), "a");
}

TEST_F(WorkQueueTest, NoDelayIsAnAdd) {
  queue_.add_after("a", milliseconds{0});
  queue_.add_after("b", milliseconds{-5});
  EXPECT_EQ(ready(), "a b");
}

TEST_F(WorkQueueTest, RetriesBackOffPerKeyUntilForgotten) {
  const int expected[] = {5, 10, 20, 40};
  for (const int delay : expected) EXPECT_EQ(queue_.add_rate_limited("a"), milliseconds{delay});
  EXPECT_EQ(queue_.add_rate_limited("b"), milliseconds{5});
  queue_.forget("a");
  EXPECT_EQ(queue_.add_rate_limited("a"), milliseconds{5});
  for (int i = 0; i < 40; ++i) queue_.add_rate_limited("c");
  EXPECT_EQ(queue_.add_rate_limited("c"), seconds{20});
  EXPECT_EQ(queue_.stats().retries, 4u + 1 + 1 + 41);
}

TEST_F(WorkQueueTest, ARetryWaitsAsLongAsTheServerAsked) {
  EXPECT_EQ(queue_.add_rate_limited("a", seconds{7}), seconds{7});
  EXPECT_EQ(queue_.add_rate_limited("a"), milliseconds{10});
}

TEST_F(WorkQueueTest, AFailedPassIsTriedAgainAfterItsBackoff) {
  queue_.add("a");
  EXPECT_EQ(queue_.take({}), "a");
  queue_.add_rate_limited("a");
  queue_.done("a");
  EXPECT_EQ(ready(), "");
  clock_.advance(milliseconds{5});
  EXPECT_EQ(queue_.take({}), "a");
}

TEST_F(WorkQueueTest, NothingIsTakenOnceStopped) {
  std::stop_source stop;
  stop.request_stop();
  queue_.add("a");
  EXPECT_EQ(queue_.take(stop.get_token()), std::nullopt);
  EXPECT_EQ(queue_.stats().depth, 1u);
}

TEST_F(WorkQueueTest, CountsWhatBecameReady) {
  queue_.add("a");
  queue_.add("a");
  queue_.add_after("b", seconds{1});
  EXPECT_EQ(queue_.stats().adds, 1u);
  clock_.advance(seconds{1});
  EXPECT_EQ(queue_.take({}), "a");
  EXPECT_EQ(queue_.stats().adds, 2u);
}

TEST(WorkQueueMetrics, TimesInTheQueueAndAtWorkAreTold) {
  ManualClock clock;
  observe::Registry registry("test");
  WorkQueueMetrics metrics(registry, "minicluster");
  WorkQueue queue(clock, {milliseconds{5}, seconds{60}}, &metrics);
  const auto value = [&](const std::string& family, const std::string& more = "") {
    const std::string series =
        "\n" + family + "{controller=\"minicluster\",name=\"minicluster\"" + more + "} ";
    const std::string text = registry.text();
    const std::size_t at = text.find(series);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size()));
  };
  queue.add("a");
  queue.add("b");
  clock.advance(seconds{3});
  EXPECT_EQ(queue.take({}), "a");
  clock.advance(seconds{2});
  EXPECT_EQ(queue.take({}), "b");
  clock.advance(seconds{1});
  EXPECT_EQ(value("workqueue_queue_duration_seconds_sum"), 3 + 5);
  EXPECT_EQ(value("workqueue_unfinished_work_seconds"), 3 + 1);
  EXPECT_EQ(value("workqueue_longest_running_processor_seconds"), 3);
  queue.add("a");
  EXPECT_EQ(queue.add_rate_limited("c"), milliseconds{5});
  clock.advance(seconds{1});
  queue.done("a");
  queue.done("b");
  EXPECT_EQ(value("workqueue_work_duration_seconds_sum"), 4 + 2);
  EXPECT_EQ(value("workqueue_work_duration_seconds_count"), 2);
  EXPECT_EQ(value("workqueue_unfinished_work_seconds"), 0);
  EXPECT_EQ(value("workqueue_adds_total"), 3);
  EXPECT_EQ(value("workqueue_retries_total"), 1);
  EXPECT_EQ(value("workqueue_depth", ",priority=\"\""), 1);
}

TEST(WorkQueueThreads, AWaitingWorkerWakesForAnAddForATimeAndForTheStop) {
  SystemClock clock;
  WorkQueue queue(clock);
  std::vector<std::string> taken;
  std::stop_source stop;
  std::jthread worker([&] {
    while (auto key = queue.take(stop.get_token())) {
      taken.push_back(*key);
      if (*key == "now") queue.add_after("later", milliseconds{20});
      if (*key == "later") stop.request_stop();
      queue.done(*key);
    }
  });
  queue.add_after("hours later", std::chrono::hours{1});
  queue.add("now");
  worker.join();
  EXPECT_EQ(taken, (std::vector<std::string>{"now", "later"}));
}

// Many producers and workers: no key runs twice at once, and each is taken after its last add.
TEST(WorkQueueThreads, NoAddIsLostAndNoKeyRunsTwiceAtOnce) {
  constexpr int kKeys = 8;
  constexpr int kAdds = 2000;
  SystemClock clock;
  WorkQueue queue(clock);
  std::array<std::atomic<int>, kKeys> wanted{};
  std::array<std::atomic<int>, kKeys> seen{};
  std::array<std::atomic<int>, kKeys> running{};
  std::atomic<bool> overlap = false;
  std::stop_source stop;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (auto key = queue.take(stop.get_token())) {
        const auto k = static_cast<std::size_t>(std::stoi(*key));
        if (running[k].fetch_add(1) != 0) overlap = true;
        seen[k] = wanted[k].load();
        running[k].fetch_sub(1);
        if (wanted[k] % 7 == 0) queue.add_rate_limited(*key);
        queue.done(*key);
      }
    });
  }
  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < 4; ++i) {
      producers.emplace_back([&] {
        for (int n = 0; n < kAdds; ++n) {
          const auto k = static_cast<std::size_t>(n % kKeys);
          ++wanted[k];
          if (n % 3 == 0) {
            queue.add_after(std::to_string(k), milliseconds{1});
          } else {
            queue.add(std::to_string(k));
          }
        }
      });
    }
  }
  const auto all_seen = [&] {
    for (std::size_t k = 0; k < kKeys; ++k) {
      if (seen[k] != wanted[k]) return false;
    }
    return true;
  };
  const auto limit = std::chrono::steady_clock::now() + seconds{60};
  while (!all_seen() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  EXPECT_TRUE(all_seen());
  stop.request_stop();
  workers.clear();
  EXPECT_FALSE(overlap);
}

}  // namespace
}  // namespace mc::kube
