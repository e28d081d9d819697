#pragma once
#include <string>
#include <vector>

namespace mc::observe {

// One process_* series, named as in client_golang.
struct ProcessMetric {
  std::string name;
  std::string help;
  double value;
  bool counter;  // otherwise a gauge
};

// The metrics of this process, read from /proc; those that cannot be read are left out.
std::vector<ProcessMetric> process_metrics();

}  // namespace mc::observe
