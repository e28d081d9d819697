#pragma once
#include "common/base/json.h"

// Why Kueue holds a Job, from the Job's Workload (kueue.sigs.k8s.io, "Workload"). Pure.
namespace mc::controller {

// A Workload with only its metadata and, if a Job owns it, Kueue's reason and message as `why`, the
// message cut to 1 KiB and without control characters. They come from the conditions that still
// hold: the eviction, until Kueue requeues the Workload for another reason, and what keeps it from
// quota or admission.
json reduce_workload(const json& workload);

}  // namespace mc::controller
