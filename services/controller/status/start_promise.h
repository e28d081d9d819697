#pragma once
#include "common/api/model/conditions.h"
#include "services/controller/cluster/types.h"

namespace mc::controller {

// `now`, the condition of a MiniCluster that waits in the queue, if its status has the start that
// it was promised (status.promisedStartTime): that promise stays until it starts or its spec
// changes, and becomes an earlier one if the queue promises that. If the queue no longer holds it,
// the reason is StartDelayed, and the message has the time. Read from the status, so that a new
// leader says it, too. Pure.
api::Condition with_promise(api::Condition now, const MiniCluster& cluster);

}  // namespace mc::controller
