#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "certs/source.h"
#include "common/base/result.h"
#include "common/observe/certificate_metrics.h"
#include "common/observe/http_server.h"
#include "common/observe/metrics.h"
#include "services/webhook/options.h"

namespace mc::webhook {

// The running webhook: the admission server, the ports for metrics and for probes, and the thread
// that rereads the certificate's files.
class Service {
 public:
  // Serves before it returns; ready while the certificate is not expired. The error says
  // which part cannot start.
  [[nodiscard]] static Result<std::unique_ptr<Service>> start(const Options& options);
  // As stop().
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  int port() const;
  // 0 if there is none.
  int metrics_port() const;
  int probe_port() const;

  // From now on /readyz fails, and each answer asks its client to close the connection.
  void drain();

  // drain(), then finishes the requests under way. Probes and metrics are served until destruction.
  void stop();

 private:
  Service();
  std::string certificate_failing() const;
  // Prepares the TLS context of a server with the current certificate.
  std::function<bool(ssl_ctx_st&)> tls() const;
  Result<void> start_probes(const Options& options);
  Result<void> start_metrics(const Options& options);

  std::atomic<bool> stopping_{false};
  observe::Registry registry_{"webhook"};
  observe::CertificateMetrics certificate_metrics_{registry_};
  // Set in start(), in this order; each uses those before it.
  std::unique_ptr<certs::Source> source_;
  std::unique_ptr<observe::HttpServer> admission_;
  std::unique_ptr<observe::HttpServer> probes_;
  std::unique_ptr<observe::HttpServer> metrics_;
  std::jthread follower_;
};

}  // namespace mc::webhook
