#include "common/base/clock.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace mc {

std::chrono::system_clock::time_point clamped_time(std::time_t seconds) {
  using std::chrono::system_clock;
  constexpr auto kFirst = std::chrono::ceil<std::chrono::seconds>(system_clock::time_point::min());
  constexpr auto kLast = std::chrono::floor<std::chrono::seconds>(system_clock::time_point::max());
  return std::clamp(std::chrono::sys_seconds(std::chrono::seconds(seconds)), kFirst, kLast);
}

void wait(std::chrono::steady_clock::duration delay, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, delay, [] { return false; });
}

}  // namespace mc
