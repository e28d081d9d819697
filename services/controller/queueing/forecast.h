#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "services/controller/queueing/run_history.h"
#include "services/controller/queueing/scheduler.h"

// When those that wait will start, if everything goes as expected. Pure.
namespace mc::controller::queueing {

// A start that is expected. It promises nothing: a later arrival of higher priority comes first,
// and a run may take longer than those before it.
struct Estimate {
  std::string key;  // namespace/name
  Time start;

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

// Those that are estimated, in the order of the queue, and how far ahead.
inline constexpr std::size_t kMostEstimates = 100;
inline constexpr std::chrono::days kHorizon{30};

// The step in which a time that lies so far ahead is told: a minute within 20 minutes, 5 minutes
// within 2 hours, 15 minutes within 5 hours, an hour within a day, 6 hours within 5 days, and a day
// beyond that. So an estimate changes rarely, and a forecast has about 100 steps at most.
std::chrono::seconds step_of(std::chrono::seconds ahead);

// `time` or, if it is not on its step, the next step; later than now.
Time rounded_up(Time time, Time now);

// The starts of the first kMostEstimates, in the order of time: schedule() is asked again each time
// that a run is expected to end. Without an estimate is who can never fit, who starts later than
// kHorizon, and who waits for a run whose end is not known or has passed. `promised`: as in
// schedule().
std::vector<Estimate> forecast(Time now, const Limits& limits, const Usage& usage,
                               const Pending& pending, const Waiting* promised,
                               const RunHistory& history);

}  // namespace mc::controller::queueing
