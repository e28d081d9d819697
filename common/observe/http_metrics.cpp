#include "common/observe/http_metrics.h"

namespace mc::observe {

HttpMetrics::HttpMetrics(Registry& registry, const std::string& port)
    : over_budget(registry.counter("minicluster_http_requests_over_budget_total",
                                   "Requests answered with 429, because the requests in progress "
                                   "used all the memory of the port.",
                                   {{"port", port}})),
      shed(registry.counter("minicluster_http_connections_shed_total",
                            "Connections that were closed to make room for others.",
                            {{"port", port}})),
      connections(
          registry.gauge("minicluster_http_connections", "Open connections.", {{"port", port}})),
      bytes(registry.gauge("minicluster_http_bytes_in_flight",
                           "Bytes of requests and answers in progress.", {{"port", port}})) {}

}  // namespace mc::observe
