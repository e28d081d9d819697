#include "common/http/worker_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <set>
#include <thread>

namespace mc::http {
namespace {

using std::chrono::milliseconds;

TEST(WorkerThreadsTest, ABlockedTaskDelaysNoOther) {
  constexpr int kBlocked = 100;
  std::latch begun(kBlocked), go(1), last(1);
  WorkerThreads threads(kBlocked + 1);
  for (int i = 0; i < kBlocked; ++i) {
    threads.run([&] {
      begun.count_down();
      go.wait();
    });
  }
  begun.wait();
  threads.run([&] { last.count_down(); });
  last.wait();
  EXPECT_GE(threads.threads(), static_cast<std::size_t>(kBlocked));
  go.count_down();
}

TEST(WorkerThreadsTest, TasksBeyondTheBoundWaitForAThread) {
  std::latch begun(2), go(1), all(4);
  WorkerThreads threads(2);
  for (int i = 0; i < 2; ++i) {
    threads.run([&] {
      begun.count_down();
      go.wait();
      all.count_down();
    });
  }
  begun.wait();
  for (int i = 0; i < 2; ++i) threads.run([&] { all.count_down(); });
  EXPECT_EQ(threads.threads(), 2u);
  EXPECT_FALSE(all.try_wait());
  go.count_down();
  all.wait();
}

TEST(WorkerThreadsTest, AThreadTakesTheNextTask) {
  WorkerThreads threads(8, milliseconds(60'000));
  std::set<std::thread::id> ids;
  for (int i = 0; i < 20; ++i) {
    std::promise<std::thread::id> ran;
    threads.run([&] { ran.set_value(std::this_thread::get_id()); });
    ids.insert(ran.get_future().get());
  }
  EXPECT_LE(ids.size(), 8u);
  EXPECT_LE(threads.threads(), 8u);
}

TEST(WorkerThreadsTest, FinishRunsWhatWaitsAndReturnsWithNoThreadLeft) {
  std::atomic<int> ran{0};
  WorkerThreads threads(3);
  for (int i = 0; i < 50; ++i) threads.run([&] { ++ran; });
  threads.finish();
  EXPECT_EQ(ran, 50);
  EXPECT_EQ(threads.threads(), 0u);
}

TEST(WorkerThreadsTest, AnIdleThreadEnds) {
  std::latch ran(1);
  WorkerThreads threads(3, milliseconds(1));
  threads.run([&] { ran.count_down(); });
  ran.wait();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (threads.threads() != 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(threads.threads(), 0u);
}

// While it exists, no thread can be started: the system has no room for its stack.
class NoNewThread {
 public:
  NoNewThread() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
    pthread_setattr_default_np(&huge);
  }
  ~NoNewThread() { pthread_setattr_default_np(&before_); }
  NoNewThread(const NoNewThread&) = delete;
  NoNewThread& operator=(const NoNewThread&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(WorkerThreadsTest, WithoutAThreadTheCallerRunsTheTask) {
  WorkerThreads threads(2);
  int ran = 0;
  {
    const NoNewThread none;
    threads.run([&] { ++ran; });
    threads.run([&] { ++ran; });
  }
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(threads.threads(), 0u);
  threads.run([&] { ++ran; });
  threads.finish();
  EXPECT_EQ(ran, 3);
}

TEST(WorkerThreadsTest, WithoutAFurtherThreadTheTaskWaitsForOne) {
  std::latch begun(1), go(1);
  std::atomic<std::thread::id> ran_in;
  WorkerThreads threads(2);
  threads.run([&] {
    begun.count_down();
    go.wait();
  });
  begun.wait();
  {
    const NoNewThread none;
    threads.run([&] { ran_in = std::this_thread::get_id(); });
    EXPECT_EQ(threads.threads(), 1u);
  }
  go.count_down();
  threads.finish();
  EXPECT_NE(ran_in.load(), std::thread::id());
  EXPECT_NE(ran_in.load(), std::this_thread::get_id());
}

}  // namespace
}  // namespace mc::http
