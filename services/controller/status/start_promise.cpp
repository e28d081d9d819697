#include "services/controller/status/start_promise.h"

#include <algorithm>

#include "common/base/rfc3339.h"

namespace mc::controller {

api::Condition with_promise(api::Condition now, const MiniCluster& cluster) {
  const ClusterStatus& told = cluster.status;
  const bool is_same_spec = told.observed_generation == cluster.generation;
  if (!told.promised_start || !is_same_spec) return now;
  const bool is_held = now.promised_start && *now.promised_start <= *told.promised_start;
  if (is_held) return now;
  now.promised_start = told.promised_start;
  // Without a place in the queue, the queue has not decided, or says what is worse.
  if (!now.position) return now;
  now.reason = api::kReasonStartDelayed;
  now.message += " The queue promised a start at " + rfc3339(*told.promised_start) +
                 " at the latest, but limits, priorities or the running MiniClusters have changed "
                 "since then.";
  return now;
}

}  // namespace mc::controller
