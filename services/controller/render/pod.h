#pragma once
#include "common/api/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// spec.template of the Job.
json pod_template(const api::MiniCluster& cluster);

// The pod m-services with the containers of spec.services; null when there are none.
json services_pod(const api::MiniCluster& cluster);

}  // namespace mc::render
