#pragma once
#include "common/api/model/accounts.h"
#include "services/controller/accounts/meter.h"

namespace mc::controller::accounts {

// The record of a run. Its resources are the pod-seconds times what the Job's template requests,
// which no other can change while the Job runs. Pure.
api::RunRecord record_of(const EndedRun& run);

}  // namespace mc::controller::accounts
