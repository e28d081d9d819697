#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "services/controller/queueing/fair_share.h"
#include "services/controller/queueing/scheduler.h"

// MiniClusters that arrive, wait, run and end, in simulated time. Also used by bench/queue.
namespace mc::controller::queueing::test {

// What lasts from one decision to the next.
struct Site {
  Limits limits;
  Usage usage = {};
  Pending pending = {};
  std::optional<Waiting> head = {};  // EASYBackfill: it was promised a start
  std::optional<Time> promise = {};
  std::optional<FairShare> fair_share = {};

  Schedule schedule(Time now) const;
  // Who starts. They wait no longer, and are used until their latest end.
  std::vector<Waiting> decide(Time now);
  void end(const std::string& key, Time now);

 private:
  // As Queue does. Without fair share, nothing.
  void share(Time now);
};

struct Arrival {
  Waiting waiting;               // arrives when it is created
  std::chrono::seconds runtime;  // at most waiting.longest
};

struct Moment {
  Time now;
  const Site& site;                     // after the decision
  const std::vector<Waiting>& started;  // by this decision
};

// When each starts; Time::max() for one that never does. `arrivals` are sorted by their creation,
// and their keys are unique. Calls `watch` after each decision. Ends come before arrivals of the
// same second.
std::vector<Time> simulate(const Limits& limits, const std::vector<Arrival>& arrivals,
                           const std::function<void(const Moment&)>& watch = nullptr,
                           const std::optional<FairSharePolicy>& fair_share = std::nullopt);

}  // namespace mc::controller::queueing::test
