#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "common/observe/metrics.h"

namespace mc::controller {

// Metrics of how the scheduler binds the pods of MiniClusters. Thread-safe.
class BindingMetrics {
 public:
  // `in_part`: the number of MiniClusters that are bound in part; nothing unless this process
  // leads. It must outlive the registry's last text().
  BindingMetrics(observe::Registry& registry, std::function<std::optional<std::size_t>()> in_part);

  // All pods that the command of a MiniCluster needs are bound, the last so long after the first.
  void bound(std::chrono::seconds took);

 private:
  observe::Histogram time_to_bind_;
};

}  // namespace mc::controller
