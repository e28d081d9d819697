#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/controller/queueing/scheduler.h"

namespace mc::controller::queueing {

// Those that wait, and what is used: decide() with a memory, so that an event costs only as much as
// those whom it can help. Its answers are those of decide(). Not thread safe.
//
// With n that wait and r that run, an event and the decision after it cost, apart from those that
// start (O(log n) each):
//   arrival                       O(log n); EASYBackfill also O(r) if it becomes the head
//   end, or less used             O(log n) for each demand that it helps; EASYBackfill: O(n)
//   any other change of one that runs   EASYBackfill: O(n + r); otherwise O(log n)
//   one that waits leaves         O(log n); EASYBackfill: O(n + r) if it held back others
//   limits                        O(n log n)
class Queue {
 public:
  explicit Queue(Limits limits);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void set_limits(Limits limits);

  // It waits. If it waits already, what changed counts, except `promised`; with a change it loses
  // the promise.
  void wait(Waiting waiting);
  void leave(const std::string& key);  // it waits no longer

  // It counts, instead of all that was counted for its key.
  void count(Running running);
  void release(const std::string& key);  // it counts no longer

  // Who starts, in this order. They wait no longer, and count with their demand and latest end,
  // beside what was counted for their keys, until count() says better.
  std::vector<Waiting> decide(Time now);

  // Why one waits, as of the last decide(); nullopt if it does not wait, or if anything changed
  // since. O(n), for its place.
  std::optional<Answer> answer(const std::string& key, Time now);

  // The keys of the first `count` that wait, in order, without those that never fit. O(n).
  std::vector<std::string> first(std::size_t count) const;

  // EASYBackfill: the start that the head was promised in the last decide(); nullopt also after a
  // change since. If it is in the past, something runs longer than it may.
  std::optional<Time> promised() const;

  std::size_t size() const;  // how many wait, with those that never fit
  const Usage& usage() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mc::controller::queueing
