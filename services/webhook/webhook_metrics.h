#pragma once
#include <string>
#include <string_view>

#include "common/observe/metrics.h"

namespace mc::webhook {

// Admission requests to one path, in controller-runtime's families (controller_runtime_webhook_*)
// and minicluster_webhook_admission_refusals_total{webhook,reason}.
class WebhookMetrics {
 public:
  // `path` is the value of the label `webhook`: "/mutate".
  WebhookMetrics(observe::Registry& registry, std::string path);

  void started();
  // Call once per started(). `seconds`: since the request had arrived.
  void finished(double seconds);
  // `code`: the HTTP status of an answer, of one that no handler gave, too.
  void answered(int code);
  // The request ended in an exception; counted as a panic, as in controller-runtime.
  void panicked();
  // `reason` is the metav1.Status reason of the answer: Invalid, BadRequest, InternalError.
  void refused(std::string_view reason);

 private:
  observe::Registry& registry_;
  const std::string path_;
  observe::Counter ok_, panics_;
  observe::Counter invalid_, bad_request_, internal_error_;
  observe::Gauge in_flight_;
  observe::Histogram latency_;
};

}  // namespace mc::webhook
