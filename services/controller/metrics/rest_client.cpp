#include "services/controller/metrics/rest_client.h"

#include <array>
#include <utility>

namespace mc::controller {
namespace {

// client-go's, for requests.
constexpr std::array kRequestBuckets = {0.005, 0.025, 0.1, 0.25, 0.5,  1.0,
                                        2.0,   4.0,   8.0, 15.0, 30.0, 60.0};

}  // namespace

RestClientMetrics::RestClientMetrics(observe::Registry& registry, std::string host)
    : registry_(registry), host_(std::move(host)) {
  for (const char* code : {"200", "<error>"}) requests("GET", code);
  duration("GET");
}

void RestClientMetrics::requested(const std::string& method, int code, double seconds) {
  requests(method, code == 0 ? "<error>" : std::to_string(code)).add();
  duration(method).observe(seconds);
}

observe::Counter RestClientMetrics::requests(const std::string& method, const std::string& code) {
  return registry_.counter("rest_client_requests_total",
                           "HTTP requests to the API server, by status; <error>: no answer.",
                           {{"code", code}, {"method", method}, {"host", host_}});
}

observe::Histogram RestClientMetrics::duration(const std::string& method) {
  return registry_.histogram("rest_client_request_duration_seconds",
                             "Time until the API server answered a request, in seconds.",
                             kRequestBuckets, {{"verb", method}, {"host", host_}});
}

}  // namespace mc::controller
