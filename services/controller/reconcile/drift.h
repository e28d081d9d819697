#pragma once
#include "common/base/json.h"
#include "services/controller/cluster/types.h"

namespace mc::controller {

// What `there` (a cached object of ours) lacks of `wanted`, as a merge patch; null if nothing is
// missing. Compares only what may change and is ours: our labels, a Service's selector, ports and
// publishNotReadyAddresses, a Job's backoffLimit and activeDeadlineSeconds. Additions by others
// stay, and so does a pod's image, which a registry mirror may have rewritten on admission.
json drift(const json& wanted, const json& there);
json drift(const json& wanted, const Pod& there);

}  // namespace mc::controller
