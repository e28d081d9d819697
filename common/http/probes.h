#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/http/server.h"
#include "common/observe/metrics.h"

namespace mc::http {

// One readiness check. `failing` returns why it fails, "" if it passes. Called from any thread.
struct ReadyCheck {
  std::string name;
  std::function<std::string()> failing;
};

// Serves, over HTTP, GET /healthz (200 while the process answers) and /readyz (200 if every check
// passes, otherwise 503 with a line for each check, as in kube-apiserver). Null without an address.
[[nodiscard]] Result<std::unique_ptr<Server>> serve_probes(
    observe::Registry& registry, const std::optional<BindAddress>& address,
    std::size_t max_connections, std::vector<ReadyCheck> checks);

// The answer to a request that is refused; nullopt if it is allowed. Called from many threads at
// once.
using Authorizer = std::function<std::optional<Response>(const Request&)>;

// GET /metrics in Prometheus' text format, for everyone or for the requests that `authorize`
// allows. `registry` must outlive the route.
Route metrics_route(const observe::Registry& registry, Authorizer authorize = {});

}  // namespace mc::http
