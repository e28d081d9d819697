#include "services/controller/metrics/endpoint.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>

#include "certs/authority.h"
#include "common/http/probes.h"

namespace mc::controller {
namespace {

// Prometheus allows 10 s for a scrape.
constexpr std::chrono::seconds kTimeout{5};
// Clients of a self-signed certificate do not check its end, and the process does not live that
// long.
constexpr std::chrono::seconds kSelfSignedLifetime = std::chrono::days(10 * 365);

bool show_own(ssl_ctx_st& context) {
  return certs::use_self_signed(context, "localhost", std::chrono::system_clock::now(),
                                kSelfSignedLifetime);
}

}  // namespace

Result<std::unique_ptr<MetricsPort>> MetricsPort::start(const MetricsOptions& options,
                                                        const kube::Config& config,
                                                        kube::TransportOptions transport_options,
                                                        observe::Registry& registry,
                                                        const Clock& clock) {
  if (!options.address) return nullptr;
  std::unique_ptr<MetricsPort> port(new MetricsPort());
  http::ServerOptions server{.address = *options.address,
                             .tls = {},
                             .max_body = 0,
                             .metrics = http::ServerMetrics(registry, "metrics")};
  http::Authorizer authorize;
  if (options.secure) {
    const auto secured = port->secure(options, config, std::move(transport_options), clock, server);
    if (!secured) return std::unexpected(secured.error());
    authorize = [access = port->access_.get()](const http::Request& request) {
      return access->refusal(request);
    };
  }
  auto started =
      http::Server::start(std::move(server), {http::metrics_route(registry, std::move(authorize))});
  if (!started) return std::unexpected(started.error());
  port->server_ = *std::move(started);
  return port;
}

Result<void> MetricsPort::secure(const MetricsOptions& options, const kube::Config& config,
                                 kube::TransportOptions transport_options, const Clock& clock,
                                 http::ServerOptions& server) {
  transport_options.connect_timeout = kTimeout;
  transport_options.response_timeout = kTimeout;
  auto transport = kube::Transport::create(config, std::move(transport_options));
  if (auto taken = assign_or_return(std::move(transport), transport_); !taken) return taken;
  access_ = std::make_unique<MetricsAccess>(*transport_, clock);
  asker_ = std::jthread([live = access_.get()](const std::stop_token& stop) { live->run(stop); });
  server.tls = show_own;
  if (options.cert_path.empty()) return {};
  auto watcher = certs::CertWatcher::create(options.cert_path);
  if (auto taken = assign_or_return(std::move(watcher), cert_watcher_); !taken) return taken;
  server.tls = [live = cert_watcher_.get()](ssl_ctx_st& context) {
    return certs::install(context, *live);
  };
  follower_ =
      std::jthread([live = cert_watcher_.get()](const std::stop_token& stop) { live->run(stop); });
  return {};
}

}  // namespace mc::controller
