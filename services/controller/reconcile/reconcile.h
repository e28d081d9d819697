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

// What a pass works with. All must outlive it.
struct Tools {
  const kube::Client& client;
  const kube::Reporter& reporter;
  const Clock& clock;
  Caches& caches;
  std::function<void(const std::string& kind)> created;  // told of each object that was made
  api::FieldValidation fields = api::FieldValidation::Strict;
};

// One pass over one MiniCluster, "namespace/name": gather, examine, plan, execute, one status write
// if it differs, then events. Returns when to look again without any other news, if ever. An
// error: it is to be tried again, later and later.
[[nodiscard]] Result<RequeueAfter> reconcile(const Tools& tools, const std::string& key);

}  // namespace mc::controller
