#include "services/webhook/service.h"

#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <source_location>
#include <string>
#include <utility>

#include "common/base/version.h"
#include "common/observe/log.h"
#include "common/observe/probes.h"
#include "services/webhook/server.h"

namespace mc::webhook {
namespace {

namespace log = observe::log;

constexpr std::size_t kNoBody = 0, kProbeConnections = 1024;

certs::SourceHooks hooks(observe::CertificateMetrics& metrics) {
  return {[&metrics](bool ok, auto took) { metrics.read(ok, took.count()); },
          [](bool is_error, const std::string& message) {
            (is_error ? log::error : log::info)(message, {}, std::source_location::current());
          }};
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

Service::Service() = default;

Result<std::unique_ptr<Service>> Service::start(const Options& options) {
  allow_many_files();
  keep_little_memory();
  std::unique_ptr<Service> service(new Service());
  auto source = certs::Source::create(options.cert_dir, hooks(service->certificate_metrics_));
  if (!source) return std::unexpected(source.error());
  service->source_ = *std::move(source);
  observe::show_life(service->registry_, "serving", [live = service->source_.get()] {
    const auto pair = live->current();
    return observe::CertificateLife{pair->not_before(), pair->not_after(), std::nullopt};
  });
  auto admission = serve_admission(service->registry_, options.address, service->tls(),
                                   admission_routes(service->registry_, reviewer(options.fields)));
  if (!admission) return std::unexpected(admission.error());
  service->admission_ = *std::move(admission);
  if (const auto probes = service->start_probes(options); !probes) {
    return std::unexpected(probes.error());
  }
  if (const auto metrics = service->start_metrics(options); !metrics) {
    return std::unexpected(metrics.error());
  }
  service->follower_ = std::jthread(
      [live = service->source_.get()](const std::stop_token& stop) { live->run(stop); });
  log::info("Serving admission", {{"port", std::to_string(service->port())},
                                  {"metricsPort", std::to_string(service->metrics_port())},
                                  {"probePort", std::to_string(service->probe_port())},
                                  {"version", version()}});
  return service;
}

std::function<bool(ssl_ctx_st&)> Service::tls() const {
  return [live = source_.get()](ssl_ctx_st& context) { return certs::install(context, *live); };
}

Result<void> Service::start_probes(const Options& options) {
  if (!options.probe_address) return {};
  std::vector<observe::ReadyCheck> checks = {
      {"running", [this] { return std::string(stopping_ ? "stopping" : ""); }},
      {"listening",
       [this] { return std::string(admission_->serving() ? "" : "the port is closed"); }},
      {"certificate", [this] { return certificate_failing(); }}};
  auto probes = observe::HttpServer::start({.address = *options.probe_address,
                                            .tls = {},
                                            .max_body = kNoBody,
                                            .max_connections = kProbeConnections,
                                            .metrics = observe::HttpMetrics(registry_, "probes")},
                                           observe::health_routes(std::move(checks)));
  if (!probes) return std::unexpected(probes.error());
  probes_ = *std::move(probes);
  return {};
}

// For every client: the webhook has no access to the API server to check a token.
Result<void> Service::start_metrics(const Options& options) {
  if (!options.metrics_address) return {};
  observe::HttpServerOptions server{.address = *options.metrics_address,
                                    .tls = {},
                                    .max_body = kNoBody,
                                    .metrics = observe::HttpMetrics(registry_, "metrics")};
  if (options.metrics_secure) server.tls = tls();
  auto metrics = observe::HttpServer::start(std::move(server), {observe::metrics_route(registry_)});
  if (!metrics) return std::unexpected(metrics.error());
  metrics_ = *std::move(metrics);
  return {};
}

std::string Service::certificate_failing() const {
  return source_->current()->expired(std::chrono::system_clock::now()) ? "has expired" : "";
}

Service::~Service() {
  if (admission_) stop();
}

int Service::port() const { return admission_->port(); }

int Service::metrics_port() const { return metrics_ ? metrics_->port() : 0; }

int Service::probe_port() const { return probes_ ? probes_->port() : 0; }

void Service::drain() {
  stopping_ = true;
  admission_->drain();
}

void Service::stop() {
  drain();
  admission_->stop();
}

}  // namespace mc::webhook
