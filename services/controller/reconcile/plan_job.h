#pragma once
#include "services/controller/reconcile/plan.h"

// What is to be done about the Job of a MiniCluster and its pods. Pure.
namespace mc::controller {

// Whether a queueing system decides when the Job, as the spec wants it, runs.
bool has_queue(const json& wanted_job);

// Adds the annotations of a new Job (names.h). A FluxSetup's limits keep every new Job suspended:
// it starts by a patch of this very Job, which no other Job of its name can get, however late.
void prepare_job(json& job, const Observed& observed, const api::Examination& examination);

// Brings the Job to what is `wanted`: its start, its size, its end, and what others have changed.
void plan_job(const Observed& observed, const Job& job, const json& wanted,
              const api::MiniCluster& cluster, TimePoint now, Plan& out);

// The same if what the spec wants is not known, or not applied to the Job: only its start and its
// end, and its pods.
void plan_job_as_it_is(const Observed& observed, const Job& job, const api::MiniCluster& cluster,
                       TimePoint now, Plan& out);

}  // namespace mc::controller
