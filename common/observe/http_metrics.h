#pragma once
#include <string>

#include "common/observe/metrics.h"

namespace mc::observe {

// What one port holds and what it turned away: minicluster_http_*{port}.
struct HttpMetrics {
  // `port` is what it is for: admission, metrics, probes.
  HttpMetrics(Registry& registry, const std::string& port);

  Counter over_budget, shed;
  Gauge connections, bytes;
};

}  // namespace mc::observe
