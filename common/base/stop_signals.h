#pragma once
#include <csignal>

namespace mc {

// SIGTERM and SIGINT, taken by the thread that waits for them. Make one in main, before there is
// any other thread: what a thread blocks, those that it starts block too.
class StopSignals {
 public:
  StopSignals();

  // Waits for one of them, and returns its name.
  const char* wait() const;

 private:
  sigset_t signals_;
};

}  // namespace mc
