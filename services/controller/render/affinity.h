#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// Preferred: one zone for the whole cluster and a node per broker (unless
// spec.network.disableAffinity). Required: the nodes of spec.pod.nodeAffinity. Empty: none.
json affinity(const api::MiniCluster& cluster);

// Of the services pod: only the nodes. It is no peer of the brokers.
json services_affinity(const api::MiniCluster& cluster);

}  // namespace mc::render
