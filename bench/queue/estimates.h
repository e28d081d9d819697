#pragma once
#include <cstddef>
#include <vector>

#include "tests/services/controller/queueing/simulation.h"

// How far the starts that MiniClusters are told when they arrive are from those that follow.
namespace mc::bench {

struct ToldStarts {
  std::size_t count = 0;   // MiniClusters that were told a start
  double held = 0;         // the share that started then or earlier
  double median_miss = 0;  // seconds, whatever the direction
  double p90_late = 0;     // 90 % started no later than so many seconds after it
  double p90_early = 0;    // and 90 % no earlier than so many before it
};

// The first that each was promised.
ToldStarts promised_starts(const controller::queueing::Limits& limits,
                           const std::vector<controller::queueing::test::Arrival>& arrivals);

// The first estimate of each that did not start when it arrived. `with_history`: by what earlier
// runs of its namespace took, otherwise by deadlines only.
ToldStarts estimated_starts(const controller::queueing::Limits& limits,
                            const std::vector<controller::queueing::test::Arrival>& arrivals,
                            bool with_history);

}  // namespace mc::bench
