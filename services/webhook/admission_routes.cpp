#include "services/webhook/admission_routes.h"

#include <chrono>
#include <string>
#include <utility>

#include "common/observe/log.h"
#include "services/webhook/webhook_metrics.h"

namespace mc::webhook {
namespace {

// An object in a request has at most 3 MiB; an update has two of them, and a review adds little.
constexpr std::size_t kMaxBody = std::size_t{7} * 1024 * 1024;
// An API server keeps a few connections open, most of them idle; each costs at most 16 KiB.
constexpr std::size_t kMaxConnections = 512;
// Room for one body of the largest size and some smaller ones: bodies are handled one after the
// other, and parsing one takes more memory than the body itself.
constexpr std::size_t kBudget = std::size_t{12} * 1024 * 1024;

AdmissionResponse answered(const AdmissionHandler& handler, Mode mode, std::string_view body,
                           WebhookMetrics& metrics) {
  try {
    return handler(mode, body);
  } catch (const std::exception& exception) {
    metrics.panicked();
    log::error("Failed to review a request", {{"err", exception.what()}});
    return failed(body);
  }
}

void note(const std::string& path, const AdmissionResponse& answer, double seconds) {
  if (!log::v(answer.refusal.empty() ? 4 : 2)) return;
  log::info(answer.refusal.empty() ? "Allowed request" : "Refused request",
            {{"webhook", path},
             {"operation", answer.operation},
             {"namespace", answer.ns},
             {"name", answer.name},
             {"uid", answer.uid},
             {"reason", answer.refusal},
             {"seconds", std::to_string(seconds)}});
}

// A request in progress.
class InFlight {
 public:
  InFlight(WebhookMetrics& metrics, std::chrono::steady_clock::time_point since)
      : metrics_(metrics), since_(since) {
    metrics_.started();
  }
  ~InFlight() { metrics_.finished(seconds()); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
  }

 private:
  WebhookMetrics& metrics_;
  const std::chrono::steady_clock::time_point since_;
};

http::Route admission_route(observe::Registry& registry, const AdmissionHandler& handler, Mode mode,
                            const std::string& path) {
  const auto metrics = std::make_shared<WebhookMetrics>(registry, path);
  const auto handle = [=](const http::Request& request) {
    const InFlight in_flight(*metrics, request.complete);
    AdmissionResponse answer = answered(handler, mode, request.body, *metrics);
    if (!answer.refusal.empty()) metrics->refused(answer.refusal);
    note(path, answer, in_flight.seconds());
    return http::Response{200, std::move(answer.body), "application/json"};
  };
  return {"POST", path, "application/json", handle,
          [metrics](int status) { metrics->answered(status); }};
}

}  // namespace

AdmissionHandler admission_handler(UnknownFields unknown, CurrentLimits limits) {
  return [unknown, limits = std::move(limits)](Mode mode, std::string_view body) {
    const auto now = limits ? limits() : nullptr;
    return review(mode, body, unknown, now.get());
  };
}

std::vector<http::Route> admission_routes(observe::Registry& registry,
                                          const AdmissionHandler& handler) {
  return {admission_route(registry, handler, Mode::Mutate, "/mutate"),
          admission_route(registry, handler, Mode::Validate, "/validate")};
}

Result<std::unique_ptr<http::Server>> serve_admission(observe::Registry& registry,
                                                      http::BindAddress address,
                                                      std::function<bool(ssl_ctx_st&)> tls,
                                                      std::vector<http::Route> routes) {
  return http::Server::start({std::move(address), std::move(tls), kMaxBody, kMaxConnections,
                              kBudget, http::ServerMetrics(registry, "admission"), true},
                             std::move(routes));
}

}  // namespace mc::webhook
