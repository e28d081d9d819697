#include "services/webhook/webhook_metrics.h"

#include <utility>

namespace mc::webhook {
namespace {

observe::Counter requests(observe::Registry& registry, const std::string& path,
                          const std::string& code) {
  return registry.counter("controller_runtime_webhook_requests_total",
                          "Admission requests, by HTTP status.",
                          {{"webhook", path}, {"code", code}});
}

observe::Counter refusals(observe::Registry& registry, const std::string& path,
                          const std::string& reason) {
  return registry.counter("minicluster_webhook_admission_refusals_total",
                          "Refused admission requests, by the reason in the Status.",
                          {{"webhook", path}, {"reason", reason}});
}

}  // namespace

WebhookMetrics::WebhookMetrics(observe::Registry& registry, std::string path)
    : registry_(registry),
      path_(std::move(path)),
      ok_(requests(registry, path_, "200")),
      panics_(registry.counter("controller_runtime_webhook_panics_total",
                               "Admission requests that ended in an exception.")),
      invalid_(refusals(registry, path_, "Invalid")),
      bad_request_(refusals(registry, path_, "BadRequest")),
      internal_error_(refusals(registry, path_, "InternalError")),
      in_flight_(registry.gauge("controller_runtime_webhook_requests_in_flight",
                                "Admission requests in progress.", {{"webhook", path_}})),
      latency_(registry.histogram("controller_runtime_webhook_latency_seconds",
                                  "Duration of an admission request, from the arrival of its body "
                                  "to the answer, in seconds.",
                                  observe::kWideBuckets, {{"webhook", path_}})) {
  // A series that begins with its first event shows no increase.
  for (const char* code : {"405", "411", "413", "415", "429", "500"}) {
    requests(registry, path_, code);
  }
}

void WebhookMetrics::started() { in_flight_.add(1); }

void WebhookMetrics::finished(double seconds) {
  in_flight_.add(-1);
  latency_.observe(seconds);
}

void WebhookMetrics::answered(int code) {
  if (code == 200) {
    ok_.add();
  } else {
    requests(registry_, path_, std::to_string(code)).add();
  }
}

void WebhookMetrics::panicked() { panics_.add(); }

void WebhookMetrics::refused(std::string_view reason) {
  if (reason == "Invalid") {
    invalid_.add();
  } else if (reason == "BadRequest") {
    bad_request_.add();
  } else {
    internal_error_.add();
  }
}

}  // namespace mc::webhook
