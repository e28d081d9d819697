#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// Preferred: one zone for the whole cluster and a node per broker (unless
// spec.network.disableAffinity). Required: the nodes of spec.pod.nodeAffinity. Empty if there is
// none.
json affinity(const api::MiniCluster& cluster);

// For the services pod: only the nodes, because it is no peer of the brokers.
json services_affinity(const api::MiniCluster& cluster);

}  // namespace mc::render
