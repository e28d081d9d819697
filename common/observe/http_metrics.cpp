#include "common/observe/http_metrics.h"

namespace mc::observe {

HttpMetrics::HttpMetrics(Registry& registry, const std::string& port)
    : over_budget(registry.counter("minicluster_http_requests_over_budget_total",
                                   "Requests that were answered with 429, as those under way had "
                                   "all the memory that a port may use.",
                                   {{"port", port}})),
      shed(registry.counter("minicluster_http_connections_shed_total",
                            "Connections that were closed to make room for another.",
                            {{"port", port}})),
      connections(registry.gauge("minicluster_http_connections", "Connections that are open.",
                                 {{"port", port}})),
      bytes(registry.gauge("minicluster_http_bytes_in_flight",
                           "Bytes of requests and answers that are under way.", {{"port", port}})) {
}

}  // namespace mc::observe
