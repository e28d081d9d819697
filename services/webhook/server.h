#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "certs/cert_watcher.h"
#include "certs/certificate_metrics.h"
#include "common/base/result.h"
#include "common/http/server.h"
#include "common/observe/metrics.h"
#include "services/webhook/limits_watcher.h"
#include "services/webhook/options.h"

namespace mc::webhook {

// The running webhook: the admission server, the ports for metrics and for probes, and the thread
// that rereads the certificate's files and the limits.
class Server {
 public:
  // Serves before it returns; ready while the certificate is not expired. The error says
  // which part cannot start.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const Options& options);
  // As stop().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  // 0 if there is none.
  int metrics_port() const;
  int probe_port() const;

  // From now on /readyz fails, and each answer asks its client to close the connection.
  void drain();

  // drain(), then finishes the requests under way. Probes and metrics are served until destruction.
  void stop();

 private:
  Server();
  std::string certificate_failing() const;
  // Prepares the TLS context of a server with the current certificate.
  std::function<bool(ssl_ctx_st&)> tls() const;
  Result<void> start_probes(const Options& options);
  Result<void> start_metrics(const Options& options);

  std::atomic<bool> stopping_{false};
  observe::Registry registry_{"webhook"};
  certs::CertificateMetrics certificate_metrics_{registry_};
  // Set in start(), in this order; each uses those before it.
  std::unique_ptr<certs::CertWatcher> cert_watcher_;
  std::unique_ptr<LimitsWatcher> limits_;  // null without --limits-dir
  std::unique_ptr<http::Server> admission_;
  std::unique_ptr<http::Server> probes_;
  std::unique_ptr<http::Server> metrics_;
  std::jthread follower_, limits_follower_;
};

// Runs the webhook until SIGTERM or SIGINT, finishes the requests under way, and returns 0. If it
// cannot start, it prints one line on standard error and returns 1. SIGUSR2 does nothing. Blocks
// these signals in the calling thread; call it before any other thread starts.
int serve(const Options& options);

}  // namespace mc::webhook
