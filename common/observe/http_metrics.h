#pragma once
#include <string>

#include "common/observe/metrics.h"

namespace mc::observe {

// The load of one port and what it refused: minicluster_http_*{port}.
struct HttpMetrics {
  // `port` is its purpose: admission, metrics, probes.
  HttpMetrics(Registry& registry, const std::string& port);

  Counter over_budget, shed;
  Gauge connections, bytes;
};

}  // namespace mc::observe
