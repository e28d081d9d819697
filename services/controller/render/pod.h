#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// spec.template of the Job, with spec.pod.template merged into it. Our labels win over the user's.
json pod_template(const api::MiniCluster& cluster);

// The pod NAME-services with the containers of spec.services; null if there are none. spec.pod
// applies to it, except template, hostIPC and hostPID, which are for the brokers.
json services_pod(const api::MiniCluster& cluster);

}  // namespace mc::render
