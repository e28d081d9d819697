#include "common/http/worker_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "common/observe/log.h"

namespace mc::http {

struct WorkerThreads::State {
  State(std::size_t the_most, std::chrono::milliseconds to_keep) : most(the_most), keep(to_keep) {}

  const std::size_t most;
  const std::chrono::milliseconds keep;

  mutable std::mutex mutex;  // guards all below
  std::condition_variable work, ended;
  std::deque<std::function<void()>> waiting;
  std::size_t threads = 0;
  std::size_t idle = 0;
  bool stopping = false;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      work.wait_for(lock, keep, [this] { return stopping || !waiting.empty(); });
      --idle;
      if (waiting.empty()) break;
      auto task = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
    --threads;
    ended.notify_all();
  }
};

WorkerThreads::WorkerThreads(std::size_t most, std::chrono::milliseconds keep)
    : state_(std::make_shared<State>(most, keep)) {}

WorkerThreads::~WorkerThreads() { finish(); }

void WorkerThreads::finish() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->work.notify_all();
  state_->ended.wait(lock, [this] { return state_->threads == 0; });
}

void WorkerThreads::run(std::function<void()> task) {
  std::unique_lock lock(state_->mutex);
  state_->waiting.push_back(std::move(task));
  if (state_->idle >= state_->waiting.size() || state_->threads == state_->most) {
    lock.unlock();  // otherwise the thread that wakes up would wait for it
    state_->work.notify_one();
    return;
  }
  try {
    std::thread([state = state_] { state->serve(); }).detach();
    ++state_->threads;
    return;
  } catch (const std::system_error& error) {
    log::error("Failed to start a thread for a request", {{"err", error.what()}});
  }
  if (state_->threads > 0) return;  // one of them will take the task
  task = std::move(state_->waiting.back());
  state_->waiting.pop_back();
  lock.unlock();
  task();
}

std::size_t WorkerThreads::threads() const {
  std::scoped_lock lock(state_->mutex);
  return state_->threads;
}

}  // namespace mc::http
