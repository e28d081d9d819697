#pragma once
#include "common/base/json.h"

// What Kueue says of a Job that it holds, in the Job's Workload (kueue.sigs.k8s.io, "Workload").
// Pure.
namespace mc::controller {

// A Workload with nothing but its metadata and, where a Job owns it, Kueue's reason and sentence as
// `why`: the sentence cut to 1 KiB and without control characters. Of its conditions those tell
// that are about now: the eviction, until Kueue has put the Workload back for another reason, and
// what keeps it from quota or admission.
json reduce_workload(const json& workload);

}  // namespace mc::controller
