#pragma once
#include <string>
#include <string_view>

#include "common/observe/metrics.h"

namespace mc::observe {

// Admission requests to one path, in controller-runtime's families (controller_runtime_webhook_*)
// and minicluster_webhook_admission_refusals_total{webhook,reason}.
class WebhookMetrics {
 public:
  // `path` is the value of the label `webhook`: "/mutate".
  WebhookMetrics(Registry& registry, std::string path);

  void started();
  // `code` is the HTTP status; call once per started().
  void finished(int code, double seconds);
  // The request ended in an exception; counted as a panic, as in controller-runtime.
  void panicked();
  // `reason` is the metav1.Status reason of the answer: Invalid, BadRequest, InternalError.
  void refused(std::string_view reason);

 private:
  Registry& registry_;
  const std::string path_;
  Counter ok_, error_, panics_;
  Counter invalid_, bad_request_, internal_error_;
  Gauge in_flight_;
  Histogram latency_;
};

}  // namespace mc::observe
