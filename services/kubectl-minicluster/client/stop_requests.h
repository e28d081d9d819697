#pragma once
#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

namespace mc::kubectl {

// What asks a verb that waits to stop: SIGINT, SIGQUIT, SIGTERM and SIGHUP, except those that our
// parent has us ignore; the end of our parent, which counts as SIGHUP; and that nobody reads
// standard output any more, which counts as SIGPIPE. Create it before any other thread: threads
// inherit the signals that their creator blocks.
class StopRequests {
 public:
  enum class From { All, SignalsOnly };

  // `on_request` gets the signal's number, from threads of this object.
  explicit StopRequests(std::function<void(int signal)> on_request, From from = From::All);
  ~StopRequests();  // the signals act as before
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

 private:
  void wait_for_signals();
  void watch_others(const std::stop_token& stop);

  const std::function<void(int)> on_request_;
  const pid_t parent_;
  sigset_t signals_{}, before_{};
  bool hangs_up_ = false;  // SIGHUP is not ignored
  std::atomic<bool> ending_ = false;
  std::thread waiter_;
  std::jthread others_;
};

// Whether anybody can still read what is written there.
bool is_read(int fd);

// Ends the process with the exit code of the signal. The guards of our children end them.
[[noreturn]] inline void end_at_once(int signal) { std::_Exit(128 + signal); }

}  // namespace mc::kubectl
