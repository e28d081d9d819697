#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// spec.template of the Job, with spec.pod.template merged into it. Our labels win over the user's.
json pod_template(const api::MiniCluster& cluster);

// The pod m-services with the containers of spec.services; null when there are none. Of spec.pod it
// has all but template and the host's namespaces, which are the brokers'.
json services_pod(const api::MiniCluster& cluster);

}  // namespace mc::render
