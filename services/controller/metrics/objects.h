#pragma once
#include <map>
#include <string>

#include "common/observe/metrics.h"

namespace mc::controller {

// minicluster_objects_created_total{kind}: objects created for MiniClusters. Thread-safe.
class ObjectMetrics {
 public:
  explicit ObjectMetrics(observe::Registry& registry);

  void created(const std::string& kind);

 private:
  std::map<std::string, observe::Counter, std::less<>> by_kind_;  // constant after construction
};

}  // namespace mc::controller
