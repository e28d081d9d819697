#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace mc::http {

// Runs up to `most` tasks at once, each in its own thread; further tasks wait. If the system has no
// more threads, a task waits for an existing one, or runs in the caller's if none exists. A thread
// without a task ends after `keep`. Thread safe; a task must not throw.
class WorkerThreads {
 public:
  explicit WorkerThreads(std::size_t most,
                         std::chrono::milliseconds keep = std::chrono::seconds(10));
  // Calls finish().
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  void run(std::function<void()> task);

  // Waits for every task, including those that have not begun; run() must not be called afterwards.
  void finish();

  // How many threads exist now.
  std::size_t threads() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the detached threads
};

}  // namespace mc::http
