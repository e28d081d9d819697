#pragma once
#include <functional>
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

// GET /healthz (200 while the process answers), /readyz (200 when every check is met, else 503 with
// a line for each check, as in kube-apiserver) and /metrics.
std::vector<Route> probe_routes(const Registry& registry, std::vector<ReadyCheck> checks);

}  // namespace mc::observe
