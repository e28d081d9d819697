#include "tests/support/cpu_time.h"

#include <algorithm>
#include <ctime>
#include <limits>

namespace mc::test {

double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double cpu_seconds(const std::function<void()>& work) {
  double least = std::numeric_limits<double>::max();
  for (int run = 0; run < 3; ++run) {
    const double begin = thread_cpu_seconds();
    work();
    least = std::min(least, thread_cpu_seconds() - begin);
  }
  return least;
}

}  // namespace mc::test
