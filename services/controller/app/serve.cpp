#include "services/controller/app/serve.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/log_line.h"
#include "common/base/stop_signals.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "common/http/probes.h"
#include "common/http/server.h"
#include "common/kube/client.h"
#include "common/kube/config.h"
#include "common/kube/transport.h"
#include "common/observe/log.h"
#include "common/observe/metrics.h"
#include "services/controller/app/api_server_check.h"
#include "services/controller/app/leadership.h"
#include "services/controller/controller.h"
#include "services/controller/metrics/endpoint.h"
#include "services/controller/metrics/rest_client.h"
#include "services/controller/webhook_certificates/rotate.h"

namespace mc::controller {
namespace {

// Time after a signal for requests under way and for the release of the Lease. The kubelet allows
// 30 s.
constexpr std::chrono::seconds kGrace{5};
// So long a replica whose caches are not filled leaves the Lease to others.
constexpr std::chrono::seconds kMostFilling{20};
constexpr std::size_t kProbeConnections = 256;

// "all", or their names.
std::string scope_of(const Options& options) {
  return options.controller.namespaces.empty() ? "all" : joined(options.controller.namespaces, ",");
}

// A namespace in which the controller may create Jobs.
const std::string& own_namespace(const Options& options, const kube::Config& config) {
  return options.controller.namespaces.empty() ? config.default_namespace
                                               : options.controller.namespaces.front();
}

// The namespace of the controller's own objects.
const std::string& lease_namespace(const Options& options, const kube::Config& config) {
  const bool is_given = options.leader_election && !options.leader_election->ns.empty();
  return is_given ? options.leader_election->ns : config.default_namespace;
}

// The parts of the running controller.
class Process {
 public:
  explicit Process(const Options& options) : options_(options) {}

  // Everything but the threads: the connections and the ports. The error says what cannot start.
  [[nodiscard]] Result<void> prepare();
  void start();
  // Writes what it has and does into the log, and changes nothing.
  void dump();
  // Waits for running reconciles, and releases the Lease.
  void stop();

 private:
  [[nodiscard]] Result<void> connect();
  [[nodiscard]] Result<void> open_ports();
  kube::TransportOptions transport_options();
  void lead();

  const Options& options_;
  observe::Registry registry_{"controller"};
  std::stop_source given_up_;  // cancels the requests under way
  const SystemClock clock_;
  const std::chrono::steady_clock::time_point started_ = clock_.now();
  // Set in prepare(), in this order; each uses those before it.
  kube::Config config_;
  std::optional<RestClientMetrics> requests_;
  std::unique_ptr<Leadership> leadership_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<Controller> controller_;
  std::optional<WebhookCertificates> certificates_;
  std::unique_ptr<http::Server> probes_;
  std::unique_ptr<MetricsPort> metrics_;
  std::jthread running_, rotating_;
  std::jthread asking_;  // in the background: nothing waits for the answer
  std::jthread leading_;
};

Result<void> Process::prepare() {
  if (auto connected = connect(); !connected) return connected;
  ControllerOptions controller = options_.controller;
  controller.own_namespace = lease_namespace(options_, config_);
  controller_ = std::make_unique<Controller>(*transport_, clock_, registry_, std::move(controller),
                                             instance());
  if (options_.webhook_certificates) {
    certificates_.emplace(*transport_, clock_, registry_, *options_.webhook_certificates);
  }
  return open_ports();
}

Result<void> Process::connect() {
  if (auto loaded = assign_or_return(kube::load_config(options_.kubeconfig), config_); !loaded)
    return loaded;
  config_.user_agent = "minicluster-controller/" + version();
  const auto endpoint = kube::parse_server(config_.server);
  if (!endpoint) return std::unexpected(endpoint.error());
  requests_.emplace(registry_, endpoint->host + ":" + std::to_string(endpoint->port));
  auto leadership =
      Leadership::create(options_.leader_election, config_, transport_options(), clock_, registry_);
  if (auto taken = assign_or_return(std::move(leadership), leadership_); !taken) return taken;
  kube::TransportOptions fenced = transport_options();
  fenced.may_write_for = leadership_->may_write_for();
  return assign_or_return(kube::Transport::create(config_, std::move(fenced)), transport_);
}

kube::TransportOptions Process::transport_options() {
  kube::TransportOptions out;
  out.observer = [this](int code, const std::string& method, auto took) {
    requests_->requested(method, code, took.count());
  };
  out.stop = given_up_.get_token();
  return out;
}

Result<void> Process::open_ports() {
  const auto not_synced = [this] {
    return controller_->ready() ? std::string() : std::string("caches are not filled");
  };
  auto probes = http::serve_probes(registry_, options_.probe_address, kProbeConnections,
                                   {{"caches", not_synced}});
  if (auto taken = assign_or_return(std::move(probes), probes_); !taken) return taken;
  return assign_or_return(
      MetricsPort::start(options_.metrics, config_, transport_options(), registry_, clock_),
      metrics_);
}

void Process::start() {
  log::info(
      "Starting",
      {{"version", version()}, {"server", config_.server}, {"namespaces", scope_of(options_)}});
  running_ = std::jthread([this](const std::stop_token& stop) { controller_->run(stop); });
  if (certificates_) {
    rotating_ = std::jthread([this](const std::stop_token& stop) { certificates_->run(stop); });
  }
  leading_ = std::jthread([this](const std::stop_token& stop) {
    // A replica that can do the work at once leads first. If none can fill its caches, one leads
    // all the same, for the certificates.
    if (options_.leader_election) controller_->wait_until_filled(stop, kMostFilling);
    leadership_->run(stop, [this] { lead(); });
  });
}

void Process::lead() {
  controller_->lead();
  if (certificates_) certificates_->lead();
  asking_ = std::jthread([this](const std::stop_token& until) {
    log_dropped_fields(kube::Client(*transport_), own_namespace(options_, config_), until);
  });
}

// No lock is held while the lines are written: standard error may be slow.
void Process::dump() {
  using std::chrono::seconds;
  const auto uptime = std::chrono::floor<seconds>(clock_.now() - started_);
  std::vector<LogLine> lines = {{"Dump: controller",
                                 {{"version", version()},
                                  {"role", controller_->leads() ? "leader" : "follower"},
                                  {"cachesFilled", controller_->ready() ? "true" : "false"},
                                  {"uptimeSeconds", std::to_string(uptime.count())}}}};
  std::ranges::move(controller_->dump(), std::back_inserter(lines));
  if (certificates_) std::ranges::move(certificates_->dump(), std::back_inserter(lines));
  lines.push_back({"Dump: end", {{"lines", std::to_string(lines.size() + 1)}}});
  for (const LogLine& line : lines) log::line(line);
}

void Process::stop() {
  const std::jthread patience([this](const std::stop_token& ended) {
    wait(kGrace, ended);
    if (ended.stop_requested()) return;
    log::warning("The API server does not answer, canceling the requests under way");
    given_up_.request_stop();
  });
  running_.request_stop();
  rotating_.request_stop();
  running_.join();
  if (rotating_.joinable()) rotating_.join();
  // Only now: the next leader starts as soon as the Lease is free.
  leading_.request_stop();
  leading_.join();
  given_up_.request_stop();
}

}  // namespace

int serve(const Options& options) {
  const StopSignals signals;
  log::set_verbosity(options.verbosity);
  Process process(options);
  if (const auto prepared = process.prepare(); !prepared) {
    std::cerr << "minicluster-controller: " << prepared.error().message << "\n";
    return 1;
  }
  process.start();
  const char* signal = signals.wait([&process] { process.dump(); });
  log::info("Stopping", {{"signal", signal}});
  process.stop();
  return 0;
}

}  // namespace mc::controller
