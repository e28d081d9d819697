#pragma once
#include <chrono>
#include <csignal>

namespace mc {

// Receives SIGTERM and SIGINT in the thread that waits for them. Create it in main before any other
// thread: threads inherit the signals that their creator blocks.
class StopSignals {
 public:
  StopSignals();

  // Waits for a signal and returns its name.
  const char* wait() const;

  // The same for at most `time`; nullptr if there was no signal.
  const char* wait_for(std::chrono::milliseconds time) const;

 private:
  sigset_t signals_;
};

}  // namespace mc
