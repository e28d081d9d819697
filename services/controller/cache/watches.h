#pragma once
#include <stop_token>
#include <vector>

#include "common/base/clock.h"
#include "common/kube/informer.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "common/kube/watcher.h"
#include "services/controller/cache/caches.h"

namespace mc::controller {

struct Watch {
  kube::WatchedStore* store;
  kube::Scope scope;
};

// The watches, one for each kind and namespace, and the stores that they fill. Without the
// Workloads and what limits MiniClusters.
std::vector<Watch> watches(Caches& caches);

// The watches of what limits MiniClusters. The first is that of the FluxSetups, whose CRD may not
// be installed.
std::vector<Watch> limit_watches(Caches& caches);

// Between two checks whether the API server serves the resource.
inline constexpr std::chrono::seconds kCheckInterval{30};

// For a resource that may be installed and removed at any time: keeps `store` up to date, as an
// Informer does. While the API server does not serve the resource,
// the store is empty, which counts as a list. Returns once stop is requested.
void follow_if_served(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const kube::Scope& scope, const kube::InformerHooks& hooks,
                      const std::stop_token& stop);

// Empties the store, as a list without objects would do.
void forget_all(kube::WatchedStore& store);

}  // namespace mc::controller
