#include "common/base/wait.h"

#include <condition_variable>
#include <mutex>

namespace mc {

void wait(std::chrono::steady_clock::duration delay, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, delay, [] { return false; });
}

}  // namespace mc
