#pragma once
#include <sys/types.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>

namespace mc::kubectl {

// Exit codes of one that ends as others did: 128 + the number of the signal that says so.
inline constexpr int kHungUp = 129;
inline constexpr int kBrokenPipe = 141;
inline constexpr int kTerminated = 143;

// What a verb that goes on until it is ended waits for. Create it before the Session, at most one
// at a time.
class Wakeups {
 public:
  // SIGINT and SIGTERM no longer end the process.
  Wakeups();
  ~Wakeups();  // as before
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;

  // Ends a wait(), or the next one. From any thread.
  void wake();

  // Waits for wake(), at most `limit`. Returns the exit code if the process must end: a signal has
  // come, nobody reads standard output any more, or the process that started us is gone (unless we
  // ignore SIGHUP, as under nohup).
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit);

 private:
  const pid_t parent_;
  const bool outlives_parent_;
  std::array<int, 2> pipe_{-1, -1};
  struct sigaction interrupt_{}, terminate_{};  // as they were
};

}  // namespace mc::kubectl
