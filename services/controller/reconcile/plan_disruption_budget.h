#pragma once
#include "services/controller/reconcile/plan.h"

// The part of the plan for the PodDisruptionBudget of a Job.
namespace mc::controller {

// It is there as long as the spec wants it, and follows the size. `job`: null if the plan creates
// the Job, as its last object. If its name is taken, the Job does not wait.
void plan_disruption_budget(const Observed& observed, const Job* job,
                            const api::MiniCluster& cluster, Plan& out);

// Deletes all PodDisruptionBudgets, except `but`.
void remove_disruption_budgets(const Observed& observed, const PodDisruptionBudget* but, Plan& out);

}  // namespace mc::controller
