#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/observe/http_server.h"
#include "common/observe/metrics.h"

namespace mc::observe {

// One condition of readiness; `failing` returns why it is not met, "" when it is. Called from any
// thread.
struct ReadyCheck {
  std::string name;
  std::function<std::string()> failing;
};

// GET /healthz (200 while the process answers) and /readyz (200 when every check is met, else 503
// with a line for each check, as in kube-apiserver).
std::vector<Route> health_routes(std::vector<ReadyCheck> checks);

// Why a request is not answered, as what it gets instead; nothing: it is answered. Called from many
// threads at once.
using Refusal = std::function<std::optional<HttpResponse>(const HttpRequest&)>;

// GET /metrics in Prometheus' text format, for all or for those that `refusal` lets through.
// `registry` must outlive the route.
Route metrics_route(const Registry& registry, Refusal refusal = {});

}  // namespace mc::observe
