#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/kube/reconcile_handler.h"
#include "services/controller/cache/caches.h"
#include "services/controller/reconcile/examinations.h"
#include "services/controller/reconcile/status_pace.h"

namespace mc::controller {

// What a reconcile needs. All must outlive it.
struct ReconcileContext {
  const kube::Client& client;
  const kube::EventSource& reporter;
  const Clock& clock;
  Caches& caches;
  StatusPace& pace;
  Examinations& examinations;
  std::function<void(const std::string& kind)> created;  // for each object that was created
  // Once for each start of a Job: it took so long to bind the pods that its command needs.
  std::function<void(std::chrono::seconds took)> bound = [](auto) {};
  // What the limits of a FluxSetup allow, by the key of the MiniCluster.
  std::function<QuotaReservation(const std::string& key)> quota = [](const std::string&) {
    return QuotaReservation();
  };
};

// One reconcile of one MiniCluster, "namespace/name": gather, examine, plan, execute, one status
// write if it differs, then events. Returns when to reconcile again without an event, if ever.
// After an error the caller retries with backoff.
[[nodiscard]] Result<kube::RequeueAfter> reconcile(const ReconcileContext& context,
                                                   const std::string& key);

}  // namespace mc::controller
