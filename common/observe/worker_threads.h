#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace mc::observe {

// Runs each task in a thread of its own. A thread that has finished takes the next task, or ends
// when none comes for a while. Tasks beyond `most` threads wait for one. Every function may be
// called from any thread; a task must not throw.
class WorkerThreads {
 public:
  explicit WorkerThreads(std::size_t most,
                         std::chrono::milliseconds keep = std::chrono::seconds(10));
  // As finish().
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  void run(std::function<void()> task);

  // Waits for every task, those that have not begun included; run() must not be called after it.
  void finish();

  // How many threads exist now. An idle thread ends by itself.
  std::size_t threads() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the threads, so that each may end in its own time
};

}  // namespace mc::observe
