#pragma once
#include "common/base/json.h"
#include "services/controller/cluster/observed.h"

namespace mc::controller {

// The administrator's defaults (spec.defaults.flux of a FluxSetup) that the MiniCluster uses: an
// object of the same shape with the fields that the MiniCluster leaves out. A field with the CRD's
// own default counts as left out, because the API server stores it as if the user had set it.
// While there is a Job, only what the Job was created with counts (kDefaultsAnnotation), so that
// another FluxSetup changes nothing that exists. Pure.
json used_defaults(const Observed& observed);

// The defaults that the MiniCluster may use: those that its Job was created with, or, without a
// Job, those of the FluxSetup in force. Null if there are none.
json offered_defaults(const Observed& observed);

}  // namespace mc::controller
