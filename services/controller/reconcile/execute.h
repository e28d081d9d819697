#pragma once
#include <functional>
#include <string>
#include <vector>

#include "common/kube/client.h"
#include "common/kube/events.h"
#include "services/controller/reconcile/outcome.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/events.h"

// Every write for MiniClusters is here.
namespace mc::controller {

// Callbacks before and after writes.
struct WriteHooks {
  // With each object that the API server returned.
  std::function<void(json object)> learn;
  // For each object that was created just now.
  std::function<void(const std::string& kind)> created;
  // Before a Job is created or resumed, so that its pods can start. False: what allowed it no
  // longer holds (Outcome::may_not_start).
  std::function<bool()> may_start = [] { return true; };
};

// Creates, patches and deletes what the plan says, in order. Without an essential object, or if a
// Job may not start, no other is created or deleted. Nothing is adopted by name: an existing object
// is accepted only if its controller is `owner_uid`.
Outcome execute(const kube::Client& client, const Plan& plan, const std::string& owner_uid,
                const WriteHooks& hooks);

// Replaces the status of `cluster` by `wanted`. Conflict: the cluster has changed since it was read
// (its resourceVersion is tested, so a newer state or another object of that name is never
// overwritten).
[[nodiscard]] Result<json> write_status(const kube::Client& client, const MiniCluster& cluster,
                                        const ClusterStatus& wanted);

// Sends these events about `cluster` and returns the errors. They are no reason to retry: the
// conditions say the same.
std::vector<Error> send_events(const kube::Client& client, const MiniCluster& cluster,
                               const std::vector<StatusEvent>& events,
                               const kube::EventSource& reporter,
                               std::chrono::system_clock::time_point now);

}  // namespace mc::controller
