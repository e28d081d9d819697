#pragma once
#include <optional>
#include <stop_token>
#include <string>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/kube/informer.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"

// The watch of Kueue's Workloads (kueue.sigs.k8s.io, "Workload").
namespace mc::controller {

// Workloads in the newest version that we know and the API server serves, by its answer about the
// group (meta/v1 APIGroup); nothing if there is none.
std::optional<kube::Resource> served_workloads(const json& group);

// Keeps `store` up to date with the Workloads of `ns` (empty: all namespaces). While the API server
// does not serve them, the store is empty and the group is checked twice a minute, so that Kueue
// may be installed and removed at any time. Returns once stop is requested.
void follow_workloads(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const std::string& ns, const kube::InformerHooks& hooks,
                      const std::stop_token& stop);

}  // namespace mc::controller
