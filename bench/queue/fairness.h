#pragma once
#include <string>
#include <vector>

#include "tests/services/controller/queueing/simulation.h"

// How evenly a week of a simulated queue treated its namespaces.
namespace mc::bench {

// `jobs` are sorted by their creation; `starts`: when each of them started.
struct Fairness {
  // Jain's index, (sum of x)^2 / (n * sum of x^2), of the x of each of n namespaces: what it got in
  // the week divided by what it would have got if the same were shared max-min fairly, that is, if
  // those that ask for less than an equal part got all, and the others equal parts of the rest. A
  // namespace gets node seconds, and asks for those of its jobs that the week has time for after
  // their creation. 1: all got their part. (Jain, Chiu and Hawe, DEC-TR-301, 1984.)
  double jain = 0;
  // The mean bounded slowdown of all, and of the half of the namespaces that asks for least.
  double slowdown = 0, light_slowdown = 0;
  double light_p95_wait = 0, longest_wait = 0;  // seconds
};

Fairness fairness_of(const std::vector<controller::queueing::test::Arrival>& jobs,
                     const std::vector<controller::Time>& starts, controller::Time week_begin);

// max-min fair: no more than each asks for, and together `all`.
std::vector<double> fair_parts(const std::vector<double>& asked, double all);

}  // namespace mc::bench
