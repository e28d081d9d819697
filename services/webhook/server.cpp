#include "services/webhook/server.h"

#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <string>
#include <utility>

#include "common/base/stop_signals.h"
#include "common/base/version.h"
#include "common/http/probes.h"
#include "common/observe/log.h"
#include "services/webhook/admission_routes.h"

namespace mc::webhook {
namespace {

constexpr std::size_t kProbeConnections = 1024;

certs::CertWatcherHooks hooks(certs::CertificateMetrics& metrics) {
  return {.on_read = [&metrics](bool ok, auto took) { metrics.read(ok, took.count()); }};
}

// Raises the limit of open files to the hard limit: the default of 1024 is less than the
// connections that our ports accept.
void allow_many_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

// Returns the memory of a large request to the system as soon as it is freed, instead of keeping it
// for each thread.
void keep_little_memory() {
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);  // fixed; else it grows with freed blocks
}

}  // namespace

Server::Server() = default;

Result<std::unique_ptr<Server>> Server::start(const Options& options) {
  allow_many_files();
  keep_little_memory();
  std::unique_ptr<Server> server(new Server());
  auto watcher = certs::CertWatcher::create(options.cert_dir, hooks(server->certificate_metrics_));
  if (!watcher) return std::unexpected(watcher.error());
  server->cert_watcher_ = *std::move(watcher);
  certs::export_certificate_times(
      server->registry_, "serving", [live = server->cert_watcher_.get()] {
        const auto pair = live->current();
        return certs::CertificateTimes{pair->not_before(), pair->not_after(), std::nullopt};
      });
  CurrentLimits limits;
  if (!options.limits_dir.empty()) {
    server->limits_ = std::make_unique<LimitsWatcher>(options.limits_dir);
    limits = [live = server->limits_.get()] { return live->current(); };
  }
  auto admission = serve_admission(
      server->registry_, options.address, server->tls(),
      admission_routes(server->registry_,
                       admission_handler(options.unknown_fields, std::move(limits))));
  if (!admission) return std::unexpected(admission.error());
  server->admission_ = *std::move(admission);
  if (const auto probes = server->start_probes(options); !probes) {
    return std::unexpected(probes.error());
  }
  if (const auto metrics = server->start_metrics(options); !metrics) {
    return std::unexpected(metrics.error());
  }
  server->follower_ = std::jthread(
      [live = server->cert_watcher_.get()](const std::stop_token& stop) { live->run(stop); });
  if (server->limits_) {
    server->limits_follower_ = std::jthread(
        [live = server->limits_.get()](const std::stop_token& stop) { live->run(stop); });
  }
  log::info("Serving admission", {{"port", std::to_string(server->port())},
                                  {"metricsPort", std::to_string(server->metrics_port())},
                                  {"probePort", std::to_string(server->probe_port())},
                                  {"version", version()}});
  return server;
}

std::function<bool(ssl_ctx_st&)> Server::tls() const {
  return
      [live = cert_watcher_.get()](ssl_ctx_st& context) { return certs::install(context, *live); };
}

Result<void> Server::start_probes(const Options& options) {
  return assign_or_return(
      http::serve_probes(
          registry_, options.probe_address, kProbeConnections,
          {{"running", [this] { return std::string(stopping_ ? "stopping" : ""); }},
           {"listening",
            [this] { return std::string(admission_->serving() ? "" : "the port is closed"); }},
           {"certificate", [this] { return certificate_failing(); }}}),
      probes_);
}

// For every client: the webhook has no access to the API server to check a token.
Result<void> Server::start_metrics(const Options& options) {
  if (!options.metrics_address) return {};
  http::ServerOptions server{.address = *options.metrics_address,
                             .tls = {},
                             .max_body = 0,
                             .metrics = http::ServerMetrics(registry_, "metrics")};
  if (options.metrics_secure) server.tls = tls();
  return assign_or_return(http::Server::start(std::move(server), {http::metrics_route(registry_)}),
                          metrics_);
}

std::string Server::certificate_failing() const {
  return cert_watcher_->current()->expired(std::chrono::system_clock::now()) ? "has expired" : "";
}

Server::~Server() {
  if (admission_) stop();
}

int Server::port() const { return admission_->port(); }

int Server::metrics_port() const { return metrics_ ? metrics_->port() : 0; }

int Server::probe_port() const { return probes_ ? probes_->port() : 0; }

void Server::drain() {
  stopping_ = true;
  admission_->drain();
}

void Server::stop() {
  drain();
  admission_->stop();
}

int serve(const Options& options) {
  log::set_verbosity(options.verbosity);
  const StopSignals signals;
  const auto server = Server::start(options);
  if (!server) {
    std::cerr << "minicluster-webhook: " << server.error().message << "\n";
    return 1;
  }
  const char* signal = signals.wait();
  (*server)->drain();
  log::info("Stopping", {{"signal", signal}});
  signals.wait_for(options.shutdown_delay);  // a second signal ends the delay
  (*server)->stop();
  log::info("Stopped");
  return 0;
}

}  // namespace mc::webhook
