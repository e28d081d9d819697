#include "common/observe/reconcile_metrics.h"

#include <array>

namespace mc::observe {
namespace {

// controller-runtime's, for reconciles.
constexpr std::array kReconcileBuckets = {
    0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.45, 0.5, 0.6,
    0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5,  3.0,  3.5,  4.0,  4.5, 5.0,
    6.0,   7.0,  8.0,   9.0,  10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0};

Counter results(Registry& registry, const std::string& controller, const std::string& result) {
  return registry.counter("controller_runtime_reconcile_total", "Reconciles, by result.",
                          {{"controller", controller}, {"result", result}});
}

}  // namespace

ReconcileMetrics::ReconcileMetrics(Registry& registry, const std::string& controller, int workers)
    : success_(results(registry, controller, "success")),
      error_(results(registry, controller, "error")),
      requeue_(results(registry, controller, "requeue")),
      requeue_after_(results(registry, controller, "requeue_after")),
      errors_(registry.counter("controller_runtime_reconcile_errors_total",
                               "Reconciles that ended in an error.", {{"controller", controller}})),
      terminal_errors_(
          registry.counter("controller_runtime_terminal_reconcile_errors_total",
                           "Reconciles that a policy, a quota or missing rights refused. They "
                           "are tried again every 30 s.",
                           {{"controller", controller}})),
      panics_(registry.counter("controller_runtime_reconcile_panics_total",
                               "Reconciles that ended in an exception.",
                               {{"controller", controller}})),
      active_(registry.gauge("controller_runtime_active_workers",
                             "Workers that are running a reconcile.",
                             {{"controller", controller}})),
      time_(registry.histogram("controller_runtime_reconcile_time_seconds",
                               "Duration of a reconcile in seconds.", kReconcileBuckets,
                               {{"controller", controller}})) {
  // Reconciles have no time limit here; controller-runtime's dashboards expect the family.
  registry.counter("controller_runtime_reconcile_timeouts_total",
                   "Reconciles that were ended by a time limit.", {{"controller", controller}});
  registry
      .gauge("controller_runtime_max_concurrent_reconciles", "Number of workers.",
             {{"controller", controller}})
      .set(workers);
}

void ReconcileMetrics::started() { active_.add(1); }

void ReconcileMetrics::finished(ReconcileResult result, double seconds) {
  active_.add(-1);
  time_.observe(seconds);
  switch (result) {
    case ReconcileResult::Success:
      success_.add();
      break;
    case ReconcileResult::Error:
      error_.add();
      errors_.add();
      break;
    case ReconcileResult::Requeue:
      requeue_.add();
      break;
    case ReconcileResult::RequeueAfter:
      requeue_after_.add();
      break;
  }
}

void ReconcileMetrics::terminal_error() { terminal_errors_.add(); }

void ReconcileMetrics::panicked() { panics_.add(); }

}  // namespace mc::observe
