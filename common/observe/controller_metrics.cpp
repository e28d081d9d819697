#include "common/observe/controller_metrics.h"

#include <array>
#include <utility>

namespace mc::observe {
namespace {

// controller-runtime's, for passes.
constexpr std::array kReconcileBuckets = {
    0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.45, 0.5, 0.6,
    0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5,  3.0,  3.5,  4.0,  4.5, 5.0,
    6.0,   7.0,  8.0,   9.0,  10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0};

// client-go's, for queues: 1e-8 times 10, 12 times.
constexpr std::array kQueueBuckets = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4,  1e-3,
                                      1e-2, 1e-1, 1.0,  10.0, 100.0, 1000.0};

Counter results(Registry& registry, const std::string& controller, const std::string& result) {
  return registry.counter("controller_runtime_reconcile_total",
                          "Passes over an object, by how they ended.",
                          {{"controller", controller}, {"result", result}});
}

}  // namespace

ReconcileMetrics::ReconcileMetrics(Registry& registry, const std::string& controller, int workers)
    : success_(results(registry, controller, "success")),
      error_(results(registry, controller, "error")),
      requeue_(results(registry, controller, "requeue")),
      requeue_after_(results(registry, controller, "requeue_after")),
      errors_(registry.counter("controller_runtime_reconcile_errors_total",
                               "Passes that ended in an error.", {{"controller", controller}})),
      terminal_errors_(registry.counter("controller_runtime_terminal_reconcile_errors_total",
                                        "Passes that ended in an error that is not retried.",
                                        {{"controller", controller}})),
      panics_(registry.counter("controller_runtime_reconcile_panics_total",
                               "Passes that ended in an exception.", {{"controller", controller}})),
      active_(registry.gauge("controller_runtime_active_workers", "Workers that are in a pass.",
                             {{"controller", controller}})),
      time_(registry.histogram("controller_runtime_reconcile_time_seconds", "Duration of a pass.",
                               kReconcileBuckets, {{"controller", controller}})) {
  registry
      .gauge("controller_runtime_max_concurrent_reconciles", "Workers that there are.",
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

WorkQueueMetrics::WorkQueueMetrics(Registry& registry, const std::string& name)
    : adds_(registry.counter("workqueue_adds_total", "Keys added.",
                             {{"name", name}, {"controller", name}})),
      retries_(registry.counter("workqueue_retries_total", "Keys added again after an error.",
                                {{"name", name}, {"controller", name}})),
      depth_(registry.gauge("workqueue_depth", "Keys that wait.",
                            {{"name", name}, {"controller", name}, {"priority", ""}})),
      unfinished_(registry.gauge("workqueue_unfinished_work_seconds",
                                 "Sum of the durations of the passes under way.",
                                 {{"name", name}, {"controller", name}})),
      longest_(registry.gauge("workqueue_longest_running_processor_seconds",
                              "Duration of the longest pass under way.",
                              {{"name", name}, {"controller", name}})),
      queue_time_(registry.histogram("workqueue_queue_duration_seconds",
                                     "How long a key waits before it is taken.", kQueueBuckets,
                                     {{"name", name}, {"controller", name}})),
      work_time_(registry.histogram("workqueue_work_duration_seconds",
                                    "How long a key is worked on.", kQueueBuckets,
                                    {{"name", name}, {"controller", name}})) {}

void WorkQueueMetrics::added() { adds_.add(); }

void WorkQueueMetrics::retried() { retries_.add(); }

void WorkQueueMetrics::depth(double keys) { depth_.set(keys); }

void WorkQueueMetrics::taken(double waited_seconds) { queue_time_.observe(waited_seconds); }

void WorkQueueMetrics::done(double worked_seconds) { work_time_.observe(worked_seconds); }

void WorkQueueMetrics::unfinished(double total_seconds, double longest_seconds) {
  unfinished_.set(total_seconds);
  longest_.set(longest_seconds);
}

RestClientMetrics::RestClientMetrics(Registry& registry, std::string host)
    : registry_(registry), host_(std::move(host)) {}

void RestClientMetrics::requested(const std::string& method, const std::string& code) {
  registry_
      .counter("rest_client_requests_total", "HTTP requests to the API server.",
               {{"code", code}, {"method", method}, {"host", host_}})
      .add();
}

}  // namespace mc::observe
