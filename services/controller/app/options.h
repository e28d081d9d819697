#pragma once
#include <expected>
#include <optional>
#include <string>

#include "common/base/arguments.h"
#include "common/commands/render.h"
#include "common/http/bind_address.h"
#include "services/controller/app/leadership.h"
#include "services/controller/controller.h"
#include "services/controller/metrics/endpoint.h"
#include "services/controller/webhook_certificates/objects.h"

namespace mc::controller {

// The command line. Flags are named as in other Kubernetes controllers.
struct Options {
  std::string kubeconfig;  // empty: see kube::load_config
  MetricsOptions metrics;
  std::optional<http::BindAddress> probe_address = http::BindAddress{"", 8081};
  ControllerOptions controller;
  int verbosity = 0;
  std::optional<LeaderElectionOptions> leader_election;           // nothing: no leader election
  std::optional<WebhookCertificateOptions> webhook_certificates;  // nothing: not managed
  std::optional<commands::RenderOptions> render;  // set: run this instead of the controller
};

[[nodiscard]] std::expected<Options, Exit> parse_options(int argc, const char* const* argv);

}  // namespace mc::controller
