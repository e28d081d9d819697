#include "services/controller/app/serve.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "common/base/clock.h"
#include "common/base/stop_signals.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "common/base/wait.h"
#include "common/kube/client.h"
#include "common/kube/config.h"
#include "common/kube/transport.h"
#include "common/observe/controller_metrics.h"
#include "common/observe/http_server.h"
#include "common/observe/log.h"
#include "common/observe/metrics.h"
#include "common/observe/probes.h"
#include "services/controller/app/api_server_check.h"
#include "services/controller/app/instance.h"
#include "services/controller/app/leadership.h"
#include "services/controller/controller.h"
#include "services/controller/metrics/endpoint.h"
#include "services/controller/webhook_certificates/rotate.h"

namespace mc::controller {
namespace {

namespace log = observe::log;

// Time after a signal for requests under way and for the release of the Lease. The kubelet allows
// 30 s.
constexpr std::chrono::seconds kGrace{5};

int failed(const Error& error) {
  std::cerr << "minicluster-controller: " << error.message << "\n";
  return 1;
}

// "all", or their names.
std::string scope_of(const Options& options) {
  return options.controller.namespaces.empty() ? "all" : joined(options.controller.namespaces, ",");
}

// A namespace in which the controller may create Jobs.
const std::string& own_namespace(const Options& options, const kube::Config& config) {
  return options.controller.namespaces.empty() ? config.default_namespace
                                               : options.controller.namespaces.front();
}

Result<std::unique_ptr<observe::HttpServer>> start_probes(const Options& options,
                                                          observe::Registry& registry,
                                                          const Controller& controller) {
  if (!options.probe_address) return nullptr;
  const auto not_synced = [&controller] {
    return controller.ready() ? std::string() : std::string("caches are not filled");
  };
  return observe::HttpServer::start({.address = *options.probe_address,
                                     .tls = {},
                                     .max_body = 0,
                                     .metrics = observe::HttpMetrics(registry, "probes")},
                                    observe::health_routes({{"caches", not_synced}}));
}

}  // namespace

int serve(const Options& options) {
  const StopSignals signals;
  log::set_verbosity(options.verbosity);

  auto config = kube::load_config(options.kubeconfig);
  if (!config) return failed(config.error());
  observe::Registry registry("controller");
  const auto endpoint = kube::parse_server(config->server);
  if (!endpoint) return failed(endpoint.error());
  observe::RestClientMetrics requests(registry,
                                      endpoint->host + ":" + std::to_string(endpoint->port));
  kube::TransportOptions transport_options;
  transport_options.observer = [&](int code, const std::string& method, auto took) {
    requests.requested(method, code, took.count());
  };
  std::stop_source given_up;
  transport_options.stop = given_up.get_token();

  const SystemClock clock;
  auto leadership =
      Leadership::create(options.leader_election, *config, transport_options, clock, registry);
  if (!leadership) return failed(leadership.error());
  kube::TransportOptions fenced = transport_options;
  fenced.may_write_for = (*leadership)->may_write_for();
  auto transport = kube::Transport::create(*config, std::move(fenced));
  if (!transport) return failed(transport.error());
  Controller controller(**transport, clock, registry, options.controller, instance());
  std::optional<WebhookCertificates> certificates;
  if (options.webhook_certificates) {
    certificates.emplace(**transport, clock, registry, *options.webhook_certificates);
  }
  const auto probes = start_probes(options, registry, controller);
  if (!probes) return failed(probes.error());
  const auto metrics =
      MetricsPort::start(options.metrics, *config, std::move(transport_options), registry, clock);
  if (!metrics) return failed(metrics.error());

  log::info(
      "Starting",
      {{"version", version()}, {"server", config->server}, {"namespaces", scope_of(options)}});
  std::jthread running([&](const std::stop_token& stop) { controller.run(stop); });
  std::jthread rotating;
  if (certificates) {
    rotating = std::jthread([&](const std::stop_token& stop) { certificates->run(stop); });
  }
  std::jthread asking;  // in the background: nothing waits for the answer
  std::jthread leading([&](const std::stop_token& stop) {
    (*leadership)->run(stop, [&] {
      controller.lead();
      if (certificates) certificates->lead();
      asking = std::jthread([&](const std::stop_token& until) {
        const kube::Client client(**transport);
        tell_what_is_dropped(client, own_namespace(options, *config), until);
      });
    });
  });
  const char* signal = signals.wait();
  log::info("Stopping", {{"signal", signal}});
  const std::jthread patience([&](const std::stop_token& ended) {
    wait(kGrace, ended);
    if (ended.stop_requested()) return;
    log::warning("The API server does not answer, canceling the requests under way");
    given_up.request_stop();
  });
  running.request_stop();
  rotating.request_stop();
  running.join();
  if (rotating.joinable()) rotating.join();
  // Only now: the next leader starts as soon as the Lease is free.
  leading.request_stop();
  leading.join();
  given_up.request_stop();
  return 0;
}

}  // namespace mc::controller
