#include "common/observe/controller_metrics.h"

#include <array>
#include <utility>

namespace mc::observe {
namespace {

// controller-runtime's, for reconciles.
constexpr std::array kReconcileBuckets = {
    0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.45, 0.5, 0.6,
    0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5,  3.0,  3.5,  4.0,  4.5, 5.0,
    6.0,   7.0,  8.0,   9.0,  10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0};

// client-go's, for requests.
constexpr std::array kRequestBuckets = {0.005, 0.025, 0.1, 0.25, 0.5,  1.0,
                                        2.0,   4.0,   8.0, 15.0, 30.0, 60.0};

Counter results(Registry& registry, const std::string& controller, const std::string& result) {
  return registry.counter("controller_runtime_reconcile_total", "Reconciles, by result.",
                          {{"controller", controller}, {"result", result}});
}

struct Value {
  const char* name;
  MetricType type;
  const char* help;
  double QueueState::* of;
};
constexpr std::array kValues = {
    Value{"workqueue_adds_total", MetricType::Counter, "Keys added to the queue.",
          &QueueState::adds},
    Value{"workqueue_retries_total", MetricType::Counter, "Keys added again after an error.",
          &QueueState::retries},
    Value{"workqueue_unfinished_work_seconds", MetricType::Gauge,
          "Total duration so far of the reconciles in progress, in seconds.",
          &QueueState::unfinished_seconds},
    Value{"workqueue_longest_running_processor_seconds", MetricType::Gauge,
          "Duration so far of the longest reconcile in progress, in seconds.",
          &QueueState::longest_seconds}};

}  // namespace

ReconcileMetrics::ReconcileMetrics(Registry& registry, const std::string& controller, int workers)
    : success_(results(registry, controller, "success")),
      error_(results(registry, controller, "error")),
      requeue_(results(registry, controller, "requeue")),
      requeue_after_(results(registry, controller, "requeue_after")),
      errors_(registry.counter("controller_runtime_reconcile_errors_total",
                               "Reconciles that ended in an error.", {{"controller", controller}})),
      terminal_errors_(registry.counter("controller_runtime_terminal_reconcile_errors_total",
                                        "Reconciles that ended in an error that is not retried.",
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

RestClientMetrics::RestClientMetrics(Registry& registry, std::string host)
    : registry_(registry), host_(std::move(host)) {
  for (const char* code : {"200", "<error>"}) requests("GET", code);
  duration("GET");
}

void RestClientMetrics::requested(const std::string& method, int code, double seconds) {
  requests(method, code == 0 ? "<error>" : std::to_string(code)).add();
  duration(method).observe(seconds);
}

Counter RestClientMetrics::requests(const std::string& method, const std::string& code) {
  return registry_.counter("rest_client_requests_total",
                           "HTTP requests to the API server, by status; <error>: no answer.",
                           {{"code", code}, {"method", method}, {"host", host_}});
}

Histogram RestClientMetrics::duration(const std::string& method) {
  return registry_.histogram("rest_client_request_duration_seconds",
                             "Time until the API server answered a request, in seconds.",
                             kRequestBuckets, {{"verb", method}, {"host", host_}});
}

WorkQueueMetrics::WorkQueueMetrics(Registry& registry, std::string name)
    : registry_(registry),
      name_(std::move(name)),
      queue_time_(registry.histogram("workqueue_queue_duration_seconds",
                                     "Time that a key waits in the queue, in seconds.",
                                     kWideBuckets, {{"name", name_}, {"controller", name_}})),
      work_time_(registry.histogram("workqueue_work_duration_seconds",
                                    "Time to process a key, in seconds.", kWideBuckets,
                                    {{"name", name_}, {"controller", name_}})) {}

void WorkQueueMetrics::follow(const std::function<QueueState()>& now) {
  // The label `priority` is controller-runtime's; our queue has only one level.
  registry_.collect(
      {"workqueue_depth",
       MetricType::Gauge,
       "Keys waiting in the queue.",
       {"name", "controller", "priority"}},
      [now, name = name_]() -> std::vector<Sample> { return {{{name, name, ""}, now().depth}}; });
  for (const Value& value : kValues) {
    registry_.collect({value.name, value.type, value.help, {"name", "controller"}},
                      [now, name = name_, of = value.of]() -> std::vector<Sample> {
                        return {{{name, name}, now().*of}};
                      });
  }
}

void WorkQueueMetrics::taken(double waited_seconds) { queue_time_.observe(waited_seconds); }

void WorkQueueMetrics::done(double worked_seconds) { work_time_.observe(worked_seconds); }

}  // namespace mc::observe
