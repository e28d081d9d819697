#pragma once
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/arguments.h"
#include "common/kube/lease.h"
#include "common/observe/bind_address.h"

namespace mc::controller {

struct RenderOptions {
  std::vector<std::string> files;  // "-" is standard input
  bool with_secrets = false;
  api::FieldValidation fields = api::FieldValidation::Strict;
};

struct LeaderElectionOptions {
  std::string ns;  // of the Lease; empty: that of the pod, or of the kubeconfig's context
  std::string id = "minicluster-controller";  // the Lease's name
  kube::LeaseTimes times;
};

// The certificates of the webhook, where they are ours to keep.
struct WebhookCertificateOptions {
  std::string secret;         // that the webhook mounts; its authority is in SECRET-ca
  std::string service;        // of the webhook
  std::string ns;             // of all three
  std::string configuration;  // the mutating and the validating one have this name
  std::chrono::milliseconds authority_lifetime = std::chrono::days(365);
  std::chrono::milliseconds leaf_lifetime = std::chrono::days(90);
  std::chrono::milliseconds mount_delay = std::chrono::minutes(2);  // see certs::RotationPolicy
};

// What the command line says; flags are named as those of the ecosystem's other controllers.
struct Options {
  std::string kubeconfig;  // empty: see kube::load_config
  std::optional<observe::BindAddress> metrics_address = observe::BindAddress{"", 8443};
  std::optional<observe::BindAddress> probe_address = observe::BindAddress{"", 8081};
  bool metrics_secure = true;     // /metrics over HTTPS, for those who may; else HTTP, for all
  std::string metrics_cert_path;  // empty: a certificate that signs itself
  std::vector<std::string> namespaces;  // sorted, each once; none: all
  api::FieldValidation fields = api::FieldValidation::Strict;
  bool kueue = false;  // read Kueue's Workloads where they are served
  int workers = 4;
  int verbosity = 0;
  std::optional<LeaderElectionOptions> leader_election;           // nothing: we are the only one
  std::optional<WebhookCertificateOptions> webhook_certificates;  // nothing: they are not ours
  std::optional<RenderOptions> render;  // set: run this instead of the controller
};

[[nodiscard]] std::expected<Options, Exit> parse_options(int argc, const char* const* argv);

}  // namespace mc::controller
