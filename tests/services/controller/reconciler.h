#pragma once
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "services/controller/reconcile/reconcile.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// What reconciles in a World need beside caches.
class Reconciler {
 public:
  explicit Reconciler(World& world) : world_(world), client_(world) {}

  // With nobody told.
  ReconcileContext context(Caches& caches) {
    return {.client = client_,
            .reporter = reporter_,
            .clock = world_.clock(),
            .caches = caches,
            .pace = pace_,
            .examinations = examinations_,
            .created = [](const std::string&) {}};
  }

 private:
  World& world_;
  StatusPace pace_;
  Examinations examinations_;
  const kube::Client client_;
  const kube::EventSource reporter_{"minicluster-controller", "test"};
};

}  // namespace mc::controller::test
