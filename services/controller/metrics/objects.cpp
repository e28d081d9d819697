#include "services/controller/metrics/objects.h"

namespace mc::controller {

ObjectMetrics::ObjectMetrics(observe::Registry& registry) {
  for (const char* kind : {"ConfigMap", "Secret", "Service", "Job", "Pod"}) {
    by_kind_.emplace(
        kind, registry.counter("minicluster_objects_created_total",
                               "Objects created for MiniClusters, by kind.", {{"kind", kind}}));
  }
}

void ObjectMetrics::created(const std::string& kind) {
  if (const auto found = by_kind_.find(kind); found != by_kind_.end()) found->second.add();
}

}  // namespace mc::controller
