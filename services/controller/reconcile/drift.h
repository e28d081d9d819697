#pragma once
#include "common/base/json.h"

namespace mc::controller {

// What `there` (an object of ours as it is cached) has lost of what `wanted` says, as a merge
// patch; null where nothing is missing. Looks only at what may be changed and is ours to say: our
// labels, a Service's selector, ports and publishNotReadyAddresses, a Job's backoffLimit and
// activeDeadlineSeconds. What others add stays; a pod's image too, which a registry mirror may have
// changed on its way in.
json drift(const json& wanted, const json& there);

}  // namespace mc::controller
