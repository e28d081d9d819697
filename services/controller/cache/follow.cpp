#include "services/controller/cache/follow.h"

#include <string>

namespace mc::controller {

void forget_all(kube::WatchedStore& store) {
  store.take(kube::Restarted{}, true);
  store.take(kube::Synced{}, true);
}

void follow_if_served(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const kube::Scope& scope, const kube::InformerHooks& hooks,
                      const std::stop_token& stop) {
  kube::InformerHooks until_gone = hooks;
  until_gone.is_permanent = [](const Error& error) { return error.kind == ErrorKind::NotFound; };
  bool is_reported = false;
  while (!stop.stop_requested()) {
    kube::Informer(transport, store, clock, scope, until_gone).run(stop);
    if (stop.stop_requested()) return;
    forget_all(store);
    if (!is_reported && hooks.log) {
      hooks.log("The API server serves no " + std::string(scope.resource.plural) +
                "; checking again twice a minute");
    }
    is_reported = true;
    if (hooks.on_synced) hooks.on_synced();
    wait(kCheckInterval, stop);
  }
}

}  // namespace mc::controller
