#pragma once
#include <functional>
#include <string>
#include <string_view>

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

// Requests to an API server: rest_client_requests_total{code,method,host} and
// rest_client_request_duration_seconds{verb,host}.
class RestClientMetrics {
 public:
  RestClientMetrics(Registry& registry, std::string host);

  // `code` is the HTTP status, 0 if there was no answer.
  void requested(const std::string& method, int code, double seconds);

 private:
  Counter requests(const std::string& method, const std::string& code);
  Histogram duration(const std::string& method);

  Registry& registry_;
  const std::string host_;
};

struct QueueState {
  double depth = 0;               // keys ready to be taken
  double adds = 0, retries = 0;   // since the start
  double unfinished_seconds = 0;  // total time of the running reconciles
  double longest_seconds = 0;     // time of the longest one
};

// One work queue, in client-go's families (workqueue_*).
class WorkQueueMetrics {
 public:
  // `name` is the value of the labels `name` and `controller`.
  WorkQueueMetrics(Registry& registry, std::string name);

  // `now` is called at each scrape; what it uses must outlive the last one.
  void follow(const std::function<QueueState()>& now);
  // A key was taken after it had waited this long.
  void taken(double waited_seconds);
  // Its reconcile took this long.
  void done(double worked_seconds);

 private:
  Registry& registry_;
  const std::string name_;
  Histogram queue_time_, work_time_;
};

}  // namespace mc::observe
