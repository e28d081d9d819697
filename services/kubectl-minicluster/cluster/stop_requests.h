#pragma once
#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace mc::kubectl {

// What asks a verb that waits to stop: SIGINT, SIGTERM and SIGHUP, except those that our parent has
// us ignore, and the end of our parent, which counts as SIGHUP. Create it before any other thread:
// threads inherit the signals that their creator blocks.
class StopRequests {
 public:
  // `on_request` gets the signal's number, from threads of this object.
  explicit StopRequests(std::function<void(int signal)> on_request);
  ~StopRequests();  // the signals act as before
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

 private:
  void wait_for_signals();
  void watch_parent(const std::stop_token& stop);

  const std::function<void(int)> on_request_;
  const pid_t parent_;
  sigset_t signals_{}, before_{};
  bool hangs_up_ = false;  // SIGHUP is not ignored
  std::atomic<bool> ending_ = false;
  std::thread waiter_;
  std::jthread parent_watch_;
};

}  // namespace mc::kubectl
