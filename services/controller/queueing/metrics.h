#pragma once
#include <cstddef>
#include <functional>
#include <optional>

#include "common/api/model/quantity.h"
#include "common/observe/metrics.h"

namespace mc::controller::queueing {

// What the metrics say about limits and those that wait.
struct MetricValues {
  bool limited = false;     // a FluxSetup limits what runs; otherwise only the last line counts
  api::Amounts hard, used;  // of all namespaces together
  std::size_t waiting = 0;  // including those that never fit
  std::size_t never_fit = 0, running = 0;
  std::size_t in_force = 0, superseded = 0, invalid = 0;  // FluxSetups
};

// What is counted as it happens.
struct LoopMetrics {
  explicit LoopMetrics(observe::Registry& registry);

  observe::Histogram wait_seconds, decision_seconds;
  observe::Counter admitted, errors;
};

// `read` is called by every scrape, from any thread, and returns nothing unless this process leads.
void export_metrics(observe::Registry& registry, std::function<std::optional<MetricValues>()> read);

}  // namespace mc::controller::queueing
