#pragma once
#include <functional>
#include <string>
#include <vector>

#include "common/kube/client.h"
#include "common/kube/events.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/events.h"
#include "services/controller/status/status.h"

// Every write of the controller is here.
namespace mc::controller {

// Who is told of what was written.
struct WriteHooks {
  // Called with each object as the API server answered it.
  std::function<void(json object)> learn;
  // Called for each object that was made by us just now.
  std::function<void(const std::string& kind)> created;
};

// Creates, patches and removes what the plan says, in order, as far as it gets. Nothing is adopted
// by name: an object that is there already is fine only if its controller is `owner_uid`.
Outcome execute(const kube::Client& client, const Plan& plan, const std::string& owner_uid,
                const WriteHooks& hooks);

// Replaces the status of `cluster` by `wanted`. Conflict: the cluster has changed since it was read
// (its resourceVersion is tested, so a namesake or a newer state is never written over).
[[nodiscard]] Result<json> write_status(const kube::Client& client, const json& cluster,
                                        const json& wanted);

// Sends these events about `cluster`. What cannot be sent is returned, and is no reason
// to try again: the conditions say the same.
std::vector<Error> send_events(const kube::Client& client, const json& cluster,
                               const std::vector<Event>& events, const kube::Reporter& reporter,
                               std::chrono::system_clock::time_point now);

}  // namespace mc::controller
