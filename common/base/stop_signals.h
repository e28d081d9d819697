#pragma once
#include <chrono>
#include <csignal>
#include <functional>

namespace mc {

// Receives SIGTERM and SIGINT, which ask the process to end, and SIGUSR2, which asks it to say what
// it does, in the thread that waits for them: ordinary code, not a signal handler. Create it in
// main before any other thread: threads inherit the signals that their creator blocks.
class StopSignals {
 public:
  StopSignals();

  // Waits for SIGTERM or SIGINT and returns its name. Meanwhile it calls `dump` after SIGUSR2, once
  // if several arrived since the last call. Empty: SIGUSR2 does nothing.
  const char* wait(const std::function<void()>& dump = {}) const;

  // Waits for SIGTERM or SIGINT for at most `time`; nullptr if neither arrived. SIGUSR2 does
  // nothing.
  const char* wait_for(std::chrono::milliseconds time) const;

 private:
  sigset_t signals_;
};

}  // namespace mc
