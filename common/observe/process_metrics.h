#pragma once
#include <vector>

#include "common/observe/metrics.h"

namespace mc::observe {

// One process_* series, named as in client_golang.
struct ProcessMetric {
  Family family;
  double value = 0;
};

// The metrics of this process, read from /proc; those that cannot be read are left out.
std::vector<ProcessMetric> process_metrics();

}  // namespace mc::observe
