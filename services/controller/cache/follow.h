#pragma once
#include <stop_token>

#include "common/base/clock.h"
#include "common/kube/informer.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "common/kube/watcher.h"

// Watches of resources that may be installed and removed at any time.
namespace mc::controller {

// Between two checks whether the API server serves the resource.
inline constexpr std::chrono::seconds kCheckInterval{30};

// Keeps `store` up to date, as an Informer does. While the API server does not serve the resource,
// the store is empty, which counts as a list. Returns once stop is requested.
void follow_if_served(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const kube::Scope& scope, const kube::InformerHooks& hooks,
                      const std::stop_token& stop);

// Empties the store, as a list without objects would do.
void forget_all(kube::WatchedStore& store);

}  // namespace mc::controller
