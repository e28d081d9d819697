#pragma once
#include <functional>
#include <string>

#include "common/api/examine.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "services/controller/cache/caches.h"
#include "services/controller/reconcile/requeue.h"

namespace mc::controller {

// What a reconcile needs. All must outlive it.
struct Tools {
  const kube::Client& client;
  const kube::Reporter& reporter;
  const Clock& clock;
  Caches& caches;
  std::function<void(const std::string& kind)> created;  // for each object that was created
  api::FieldValidation fields = api::FieldValidation::Strict;
};

// One reconcile of one MiniCluster, "namespace/name": gather, examine, plan, execute, one status
// write if it differs, then events. Returns when to reconcile again without an event, if ever.
// After an error the caller retries with backoff.
[[nodiscard]] Result<RequeueAfter> reconcile(const Tools& tools, const std::string& key);

}  // namespace mc::controller
