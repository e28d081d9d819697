#pragma once
#include <string>
#include <vector>

#include "tests/services/controller/queueing/simulation.h"

// The queue over a day, as a picture.
namespace mc::bench {

// An SVG: a row for each MiniCluster that waits or runs on that day with EASYBackfill, by arrival.
// It shows when each waited, when it waited with a promised start, and when it ran. `begin`: of the
// day; pods are the nodes that the limits allow.
std::string gantt_of(const controller::queueing::Limits& limits,
                     const std::vector<controller::queueing::test::Arrival>& arrivals,
                     controller::Time begin);

}  // namespace mc::bench
