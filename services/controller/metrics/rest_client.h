#pragma once
#include <string>

#include "common/observe/metrics.h"

namespace mc::controller {

// Requests to an API server: rest_client_requests_total{code,method,host} and
// rest_client_request_duration_seconds{verb,host}.
class RestClientMetrics {
 public:
  RestClientMetrics(observe::Registry& registry, std::string host);

  // `code` is the HTTP status, 0 if there was no answer.
  void requested(const std::string& method, int code, double seconds);

 private:
  observe::Counter requests(const std::string& method, const std::string& code);
  observe::Histogram duration(const std::string& method);

  observe::Registry& registry_;
  const std::string host_;
};

}  // namespace mc::controller
