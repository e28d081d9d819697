#pragma once
#include <chrono>
#include <csignal>

namespace mc {

// SIGTERM and SIGINT, taken by the thread that waits for them. Make one in main, before there is
// any other thread: what a thread blocks, those that it starts block too.
class StopSignals {
 public:
  StopSignals();

  // Waits for one of them, and returns its name.
  const char* wait() const;

  // The same for so long at most: nullptr when there was none.
  const char* wait_for(std::chrono::milliseconds time) const;

 private:
  sigset_t signals_;
};

}  // namespace mc
