#pragma once
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "certs/source.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/config.h"
#include "common/kube/transport.h"
#include "common/observe/bind_address.h"
#include "common/observe/http_server.h"
#include "common/observe/metrics.h"
#include "services/controller/metrics/authorization.h"

namespace mc::controller {

struct MetricsOptions {
  std::optional<observe::BindAddress> address = observe::BindAddress{"", 8443};
  bool secure = true;     // over HTTPS, for those who may; else over HTTP, for all
  std::string cert_path;  // empty: a certificate that signs itself
};

// The port with /metrics: over HTTPS for those whose token says that they may, or over plain HTTP
// for all (`secure`).
class MetricsPort {
 public:
  // Serves before it returns; null where it is off. `registry` and `clock` must outlive it;
  // `transport_options` are the program's, of which it makes its own connections to the API server
  // with short timeouts. The error says what cannot be read or listened on.
  [[nodiscard]] static Result<std::unique_ptr<MetricsPort>> start(
      const MetricsOptions& options, const kube::Config& config,
      kube::TransportOptions transport_options, observe::Registry& registry, const Clock& clock);

  int port() const { return server_->port(); }

 private:
  MetricsPort() = default;
  [[nodiscard]] Result<void> secure(const MetricsOptions& options, const kube::Config& config,
                                    kube::TransportOptions transport_options, const Clock& clock,
                                    observe::HttpServerOptions& server);

  // Each uses those before it. Of plain HTTP there is the server only.
  std::unique_ptr<certs::Source> source_;  // null: the certificate signs itself
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<MetricsAccess> access_;
  std::unique_ptr<observe::HttpServer> server_;
  std::jthread follower_;  // of the certificate's files
  std::jthread asker_;     // of `access_`
};

}  // namespace mc::controller
