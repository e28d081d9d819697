#pragma once
#include <chrono>
#include <thread>

namespace mc::test {

// Polls until `condition()` holds; false if it does not within `limit`. For conditions on other
// processes, which give no notification.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition,
                              std::chrono::seconds limit = std::chrono::seconds(30)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace mc::test
