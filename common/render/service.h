#pragma once
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The headless Service through which the brokers find each other. It publishes names before the
// pods are ready: brokers must resolve each other to become ready.
json headless_service(const api::MiniCluster& cluster);

// One Service for each container with ports that does not run Flux, with the name of the container.
std::vector<json> sidecar_services(const api::MiniCluster& cluster);

}  // namespace mc::render
