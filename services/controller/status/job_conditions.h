#pragma once
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "services/controller/cluster/observed.h"

// The conditions of a MiniCluster that come from its Job and pods; how it ended is in
// interpret/job_view.h. Pure.
namespace mc::controller {

// The condition QuotaReserved: whether the limits of a FluxSetup allow the Job to run. Nothing if
// there were none since the MiniCluster exists, and for a Job of a queueing system.
// `was_past`: it was resumed past the limits, and is suspended again.
std::optional<api::Condition> quota_reserved(const Observed& observed, const Job& job,
                                             bool was_past);

// The condition Suspended: by us (reason Suspended), by the limits of a FluxSetup (Waiting), or by
// a queueing system that holds the Job (Queued). Nothing for a Job that runs and was never seen
// suspended.
std::optional<api::Condition> suspended(const Observed& observed, const Job& job);

// The condition Ready: the quorum is reached, or why not, in the words of the scheduler, the
// kubelet or the Job controller.
api::Condition ready(const Observed& observed, const Job& job, const api::MiniCluster& cluster);

}  // namespace mc::controller
