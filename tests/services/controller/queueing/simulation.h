#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "services/controller/queueing/incremental.h"

// MiniClusters that arrive, wait in a real Queue, run and end, in simulated time. Also used by
// bench/queue.
namespace mc::controller::queueing::test {

struct Job {
  Waiting waiting;               // arrives when it is created
  std::chrono::seconds runtime;  // at most waiting.longest
};

struct Moment {
  Time now;
  Queue& queue;                         // after its decision
  const std::vector<Waiting>& started;  // by this decision
};

// When each starts; Time::max() for one that never does. `jobs` are sorted by their creation, and
// their keys are unique. Calls `watch` after each decision. Ends come before arrivals of the same
// second.
std::vector<Time> simulate(const Limits& limits, const std::vector<Job>& jobs,
                           const std::function<void(const Moment&)>& watch = nullptr);

}  // namespace mc::controller::queueing::test
