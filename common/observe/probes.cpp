#include "common/observe/probes.h"

#include <utility>

namespace mc::observe {
namespace {

HttpResponse readiness(const std::vector<ReadyCheck>& checks) {
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

Result<std::unique_ptr<HttpServer>> serve_probes(Registry& registry,
                                                 const std::optional<BindAddress>& address,
                                                 std::size_t max_connections,
                                                 std::vector<ReadyCheck> checks) {
  if (!address) return nullptr;
  return HttpServer::start(
      {.address = *address,
       .tls = {},
       .max_body = 0,
       .max_connections = max_connections,
       .metrics = HttpMetrics(registry, "probes")},
      {{"GET", "/healthz", "", [](const HttpRequest&) { return HttpResponse{200, "ok\n"}; }},
       {"GET", "/readyz", "",
        [checks = std::move(checks)](const HttpRequest&) { return readiness(checks); }}});
}

Route metrics_route(const Registry& registry, Authorizer authorize) {
  const auto serve = [&registry, authorize = std::move(authorize)](const HttpRequest& request) {
    if (authorize) {
      if (auto refused = authorize(request)) return *std::move(refused);
    }
    return HttpResponse{200, registry.text(), "text/plain; version=0.0.4; charset=utf-8"};
  };
  return {"GET", "/metrics", "", serve};
}

}  // namespace mc::observe
