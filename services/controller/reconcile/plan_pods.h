#pragma once
#include <optional>

#include "services/controller/reconcile/plan.h"

// The part of the plan for the pods of a Job.
namespace mc::controller {

// Adds what is known only once a pod exists: the label with its index, and what its queue has
// admitted. Deletes a pod that is to be tried again, but that another container keeps from ending.
void plan_pods(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
               TimePoint now, Plan& out);

// Whether that time has come. Before that, `out` says when to look again.
bool is_due(TimePoint due, TimePoint now, Plan& out);

// Whether the other containers of a pod have had their time (kGraceOfOthers) since the one that
// runs Flux ended. Before that, `out` says when to look again.
bool is_grace_over(const std::optional<Time>& ended, TimePoint now, Plan& out);

}  // namespace mc::controller
