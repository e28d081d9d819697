#pragma once
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/arguments.h"
#include "common/commands/check.h"
#include "common/http/bind_address.h"
#include "services/webhook/review.h"

namespace mc::webhook {

struct Options {
  http::BindAddress address{"", 9443};  // --host, --port
  std::string cert_dir = "/tmp/k8s-webhook-server/serving-certs";
  std::string limits_dir;  // with api::kLimitsFile, from the controller; "": no limits
  // /metrics, and /healthz with /readyz; nothing: off.
  std::optional<http::BindAddress> metrics_address = http::BindAddress{"", 8443};
  std::optional<http::BindAddress> probe_address = http::BindAddress{"", 8081};
  bool metrics_secure = true;  // /metrics over HTTPS with the certificate of cert_dir; else HTTP
  // Time to serve after the signal to stop: API servers send requests to a pod until they learn
  // that it is ending.
  std::chrono::milliseconds shutdown_delay{0};
  UnknownFields unknown_fields = UnknownFields::AsClientAsks;
  int verbosity = 0;
  std::optional<commands::CheckOptions> check;  // set: run this instead of serving
};

[[nodiscard]] std::expected<Options, Exit> parse_options(int argc, const char* const* argv);

}  // namespace mc::webhook
