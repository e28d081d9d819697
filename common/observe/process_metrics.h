#pragma once
#include <string>
#include <vector>

namespace mc::observe {

// One process_* series with the names that client_golang gives them.
struct ProcessMetric {
  std::string name;
  std::string help;
  double value;
  bool counter;  // else a gauge
};

// Of this process, read from /proc now; what cannot be read is left out.
std::vector<ProcessMetric> process_metrics();

}  // namespace mc::observe
