#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "common/kube/work_queue_metrics.h"

namespace mc::kube {

// The keys that wait for a worker. Thread safe. Guarantees:
// - A key that is added many times before a worker takes it is taken once.
// - No two workers have the same key: a key added meanwhile is taken again after done().
// - An add() after take() is never lost.
// - A key is either ready or waiting for its time; the earliest time wins. A reconcile that is
//   certain to run makes later ones superfluous: it schedules the next one itself.
class WorkQueue {
 public:
  using Key = std::string;
  struct Stats {
    std::size_t depth = 0;    // ready to be taken
    std::size_t waiting = 0;  // for their time to come
    std::size_t running = 0;
    std::uint64_t adds = 0;  // became ready, since the start
    std::uint64_t retries = 0;
    std::chrono::duration<double> unfinished{0};  // total time of the running keys
    std::chrono::duration<double> longest{0};     // time of the longest running key
  };

  // What a dump shows.
  struct Contents {
    Stats stats;
    std::size_t failing = 0;                            // keys that failed since their last success
    std::optional<std::chrono::milliseconds> next_due;  // until the first waiting key is ready
    // The running keys and for how long each has been, the longest first.
    std::vector<std::pair<Key, std::chrono::milliseconds>> running;
  };

  // `metrics`, if given, must outlive it, and reads its state at each scrape.
  explicit WorkQueue(const Clock& clock,
                     BackoffPolicy policy = {std::chrono::milliseconds{5},
                                             std::chrono::seconds{20}},
                     WorkQueueMetrics* metrics = nullptr);

  void add(const Key& key);
  void add_after(const Key& key, std::chrono::milliseconds delay);

  // Adds the key after a delay that doubles with each call since the last forget(), and is at least
  // what the API server asked for (`at_least`). Returns the delay.
  std::chrono::milliseconds add_rate_limited(const Key& key, std::chrono::seconds at_least = {});
  void forget(const Key& key);  // the next delay is the first again

  // Waits for a key; nullopt once stop is requested. Each key taken must be passed to done().
  std::optional<Key> take(const std::stop_token& stop);
  void done(const Key& key);

  Stats stats() const;
  Contents contents() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Called with mutex_ held.
  Stats count() const;
  void make_ready(const Key& key);
  void schedule(const Key& key, std::chrono::milliseconds delay);
  void stop_waiting(const Key& key);
  void promote_due();
  // Wakes one waiting worker for one ready key, or for a time that is earlier than all before. A
  // worker that takes a key passes this on, so that one of those that still wait knows of every
  // ready key and of the earliest time. (Waking all of them costs a dozen switches for each event.)
  void wake_one();
  void wait_for_change(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  // Constant after construction.
  const Clock& clock_;
  const BackoffPolicy policy_;
  WorkQueueMetrics* const metrics_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_.
  std::deque<Key> ready_;
  std::unordered_map<Key, TimePoint> dirty_;    // when added; in ready_, or put there when done
  std::unordered_map<Key, TimePoint> running_;  // when taken
  std::map<Key, TimePoint> due_;                // waiting, by key and by time
  std::set<std::pair<TimePoint, Key>> by_time_;
  std::unordered_map<Key, int> failures_;
  std::uint64_t adds_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t changes_ = 0;  // counts what wakes a waiting worker
};

}  // namespace mc::kube
