#pragma once
#include <string>

#include "common/observe/metrics.h"

namespace mc::observe {

// How a reconcile ended; the value of the label `result`.
enum class ReconcileResult { Success, Error, Requeue, RequeueAfter };

// Reconciles of one controller, in controller-runtime's families (controller_runtime_reconcile_*).
class ReconcileMetrics {
 public:
  ReconcileMetrics(Registry& registry, const std::string& controller, int workers);

  void started();
  // Call once per started().
  void finished(ReconcileResult result, double seconds);
  // An error that is not retried; counted in addition to finished(Error).
  void terminal_error();
  // An exception reached the worker loop.
  void panicked();

 private:
  Counter success_, error_, requeue_, requeue_after_;
  Counter errors_, terminal_errors_, panics_;
  Gauge active_;
  Histogram time_;
};

}  // namespace mc::observe
