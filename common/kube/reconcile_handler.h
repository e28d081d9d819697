#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/work_queue.h"
#include "common/observe/reconcile_metrics.h"

namespace mc::kube {

// Time until the next reconcile without an event; nothing: none.
using RequeueAfter = std::optional<std::chrono::milliseconds>;

// A reconcile that failed; it is retried after `delay`.
struct FailedReconcile {
  Error error;
  std::chrono::milliseconds delay;
};

// Runs the reconciles of one queue. All references must outlive it.
struct ReconcileHandler {
  const Clock& clock;
  observe::ReconcileMetrics& metrics;
  WorkQueue& queue;
  bool confidential = false;  // leave out the text of exceptions: it may quote a key

  // Runs one reconcile of a key that was taken from the queue, counts it, and decides when it runs
  // again: after success if it asks for it, 30 s after a refusal by policy, after any other failure
  // or an exception with backoff, and not before the Retry-After of the API server. Returns the
  // failure to log; nothing after success, or if another writer was first (with -v 2 that is
  // returned too).
  std::optional<FailedReconcile> run(const std::string& key,
                                     const std::function<Result<RequeueAfter>()>& reconcile) const;
};

}  // namespace mc::kube
