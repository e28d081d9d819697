#pragma once
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "certs/cert_watcher.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/http/bind_address.h"
#include "common/http/server.h"
#include "common/kube/config.h"
#include "common/kube/transport.h"
#include "common/observe/metrics.h"
#include "services/controller/metrics/authorization.h"

namespace mc::controller {

struct MetricsOptions {
  std::optional<http::BindAddress> address = http::BindAddress{"", 8443};
  bool secure = true;     // HTTPS for authorized clients; else HTTP for all
  std::string cert_path;  // empty: a self-signed certificate
};

// The port that serves /metrics: over HTTPS to clients with an authorized token, or over plain HTTP
// to all (`secure`).
class MetricsPort {
 public:
  // Serves before it returns; null if the port is off. `registry` and `clock` must outlive it. It
  // has its own connections to the API server, with `transport_options` and short timeouts. The
  // error says what cannot be read or listened on.
  [[nodiscard]] static Result<std::unique_ptr<MetricsPort>> start(
      const MetricsOptions& options, const kube::Config& config,
      kube::TransportOptions transport_options, observe::Registry& registry, const Clock& clock);

  int port() const { return server_->port(); }

 private:
  MetricsPort() = default;
  [[nodiscard]] Result<void> secure(const MetricsOptions& options, const kube::Config& config,
                                    kube::TransportOptions transport_options, const Clock& clock,
                                    http::ServerOptions& server);

  // Each uses those before it. Over plain HTTP there is only the server.
  std::unique_ptr<certs::CertWatcher> cert_watcher_;  // null: self-signed
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<MetricsAccess> access_;
  std::unique_ptr<http::Server> server_;
  std::jthread follower_;  // rereads the certificate's files
  std::jthread asker_;     // runs `access_`
};

}  // namespace mc::controller
