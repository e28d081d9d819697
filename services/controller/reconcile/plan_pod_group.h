#pragma once
#include "services/controller/reconcile/plan.h"

// The part of the plan for the PodGroup of a Job.
namespace mc::controller {

// The pods name the PodGroup, so it exists before they do. Of Native, a suspended Job has none: the
// condition that says whether the pods are scheduled never becomes False again, so each start gets
// a new one. Kueue resumes a queued Job without asking us: its PodGroup exists all the time. To be
// called with the writes of everything else.
void plan_pod_group(const Observed& observed, const Job* job, bool starts_suspended,
                    const api::MiniCluster& cluster, TimePoint now, Plan& out);

// Deletes all PodGroups of kinds that are served, except `but`.
void remove_pod_groups(const Observed& observed, const PodGroup* but, Plan& out);

}  // namespace mc::controller
