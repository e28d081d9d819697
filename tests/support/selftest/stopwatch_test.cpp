#include "tests/support/stopwatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/cpu_time.h"
#include "tests/support/eventually.h"

namespace mc::test {
namespace {

TEST(IdleStopwatch, CountsLessThanTheWallTimeOnABusyMachine) {
  std::atomic<bool> busy = true;
  std::vector<std::jthread> others(8UL * std::max(1U, std::thread::hardware_concurrency()));
  for (std::jthread& other : others)
    other = std::jthread([&] {
      while (busy) {
      }
    });
  const IdleStopwatch watch;
  const Stopwatch wall;
  EXPECT_TRUE(eventually([&] { return watch.slowdown() > 2; }));
  EXPECT_LT(watch.elapsed(), wall.elapsed() / 2);
  busy = false;
}

TEST(IdleStopwatch, CountsTheTimeThatIsSpentWaiting) {
  const IdleStopwatch watch;
  EXPECT_TRUE(eventually([&] { return watch.elapsed() > std::chrono::milliseconds(300); }));
}

}  // namespace
}  // namespace mc::test
