#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/kube/informer.h"
#include "common/kube/request.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "common/kube/watcher.h"
#include "services/controller/cache/caches.h"

namespace mc::controller {

struct StoreWatch {
  kube::WatchedStore* store;
  kube::Scope scope;
  // Whether the controller can work without the right to read them: rights that it needs since a
  // later version may be granted after the upgrade.
  bool may_be_forbidden = false;
};

// The watches, one for each kind and namespace, and the stores that they fill. Without the
// Workloads and what limits MiniClusters.
std::vector<StoreWatch> watches(Caches& caches);

// The watches of what limits MiniClusters. The first is that of the FluxSetups, whose CRD may not
// be installed.
std::vector<StoreWatch> limit_watches(Caches& caches);

// For a resource that may be installed and removed at any time: keeps the store up to date, as an
// Informer does. While the API server does not serve the resource, or refuses it and may do so, the
// store is empty, which counts as a list. Returns once stop is requested.
void follow_if_served(kube::Transport& transport, const StoreWatch& watch, const Clock& clock,
                      const kube::InformerHooks& hooks, const std::stop_token& stop);

// Workloads in the newest version that we know and the API server serves, by its answer about the
// group (meta/v1 APIGroup); nothing if there is none.
std::optional<kube::Resource> served_workloads(const json& group);

// Keeps `store` up to date with the Workloads of `ns` (empty: all namespaces). While the API server
// does not serve them, the store is empty and the group is checked twice a minute, so that Kueue
// may be installed and removed at any time. Returns once stop is requested.
void follow_workloads(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const std::string& ns, const kube::InformerHooks& hooks,
                      const std::stop_token& stop);

// The same for PodGroups of a kind, which depend on a feature gate or are custom resources. Also
// keeps what `caches` offer for gang scheduling; hooks.on_synced is called once that is known.
void follow_pod_groups(kube::Transport& transport, Caches& caches, api::GangKind kind,
                       kube::WatchedStore& store, const Clock& clock, const std::string& ns,
                       const kube::InformerHooks& hooks, const std::stop_token& stop);

}  // namespace mc::controller
