#pragma once
#include <cstdint>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The PodDisruptionBudget of the Job's pods: the Eviction API leaves that many of them alone. Null
// unless spec.podDisruptionBudget wants one. The number is absolute, because the disruption
// controller cannot count in percent, or from maxUnavailable, what a Job wants: a Job has no scale
// subresource. Pods that are not ready may always be evicted, so that one that cannot start blocks
// no node.
json pod_disruption_budget(const api::MiniCluster& cluster, std::int64_t min_available);
// For a new Job: as many pods as the command needs.
json pod_disruption_budget(const api::MiniCluster& cluster);

}  // namespace mc::render
