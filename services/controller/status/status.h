#pragma once
#include "common/api/examine.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/types.h"
#include "services/controller/reconcile/outcome.h"

namespace mc::controller {

// The whole status that `cluster` should have. Pure, computed from what is observed. The stored
// status only provides times, unknown conditions, and the end: a status with Complete or Failed
// stays as it is.
ClusterStatus status(const Observed& observed, const api::Examination& examination,
                     const Outcome& outcome, Time now);

}  // namespace mc::controller
