#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/work_queue.h"
#include "common/observe/controller_metrics.h"

namespace mc::controller {

// When a pass is to come again without any other news, if ever.
using RequeueAfter = std::optional<std::chrono::milliseconds>;

// A pass that did not succeed; it comes again after `delay`.
struct FailedReconcile {
  Error error;
  std::chrono::milliseconds delay;
};

// Runs the passes over the keys of one queue. All references must outlive it.
struct ReconcileHandler {
  const Clock& clock;
  observe::ReconcileMetrics& metrics;
  kube::WorkQueue& queue;
  bool confidential = false;  // an exception's words could quote a key, and are left out

  // Runs one pass over a key that was taken from the queue, counts it, and decides whether and when
  // it comes again: after success when it says so, after a refusal by policy in 30 s, else with
  // backoff, and not before the API server wants it. An exception is such a failure, too.
  // Returns what the log should say; nothing also where somebody else just wrote first (with -v 2
  // that is told, too).
  std::optional<FailedReconcile> run(const std::string& key,
                                     const std::function<Result<RequeueAfter>()>& pass) const;
};

}  // namespace mc::controller
