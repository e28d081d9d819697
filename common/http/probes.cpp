#include "common/http/probes.h"

#include <utility>

namespace mc::http {
namespace {

Response readiness(const std::vector<ReadyCheck>& checks) {
  std::string lines;
  bool ready = true;
  for (const ReadyCheck& check : checks) {
    const std::string why = check.failing();
    ready = ready && why.empty();
    lines +=
        why.empty() ? "[+]" + check.name + " ok\n" : "[-]" + check.name + " failed: " + why + "\n";
  }
  if (ready) return {200, "ok\n"};
  return {503, lines + "readyz check failed\n"};
}

}  // namespace

Result<std::unique_ptr<Server>> serve_probes(observe::Registry& registry,
                                             const std::optional<BindAddress>& address,
                                             std::size_t max_connections,
                                             std::vector<ReadyCheck> checks) {
  if (!address) return nullptr;
  return Server::start(
      {.address = *address,
       .tls = {},
       .max_body = 0,
       .max_connections = max_connections,
       .metrics = ServerMetrics(registry, "probes")},
      {{"GET", "/healthz", "", [](const Request&) { return Response{200, "ok\n"}; }},
       {"GET", "/readyz", "",
        [checks = std::move(checks)](const Request&) { return readiness(checks); }}});
}

Route metrics_route(const observe::Registry& registry, Authorizer authorize) {
  const auto serve = [&registry, authorize = std::move(authorize)](const Request& request) {
    if (authorize) {
      if (auto refused = authorize(request)) return *std::move(refused);
    }
    return Response{200, registry.text(), "text/plain; version=0.0.4; charset=utf-8"};
  };
  return {"GET", "/metrics", "", serve};
}

}  // namespace mc::http
