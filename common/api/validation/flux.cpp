#include <algorithm>

#include "common/api/model/names.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/flux/broker_config.h"
#include "common/flux/curve.h"

namespace mc::api {
namespace {

const FieldPath kPath = FieldPath("spec") / "flux";

// The policies of Fluxion 0.54 (sched-fluxion-qmanager(5), queue-policy); with any other it does
// not load.
constexpr std::string_view kQueuePolicies[] = {"fcfs", "easy", "hybrid", "conservative"};

// Checks a broker.toml as a broker does. It may contain secrets: errors show only line and reason.
void validate_broker_config(const MiniCluster& cluster, FieldErrors& errors) {
  const std::string& text = cluster.spec.flux.broker_config;
  if (text.empty()) return;
  const FieldPath path = kPath / "brokerConfig";
  const auto config = flux::parse_broker_toml(text);
  if (!config) {
    errors.push_back(invalid_hidden(path, config.error().message));
    return;
  }
  for (const std::string& problem : config->problems) {
    errors.push_back(invalid_hidden(path, problem));
  }
  const std::vector<std::string>& hosts = config->host_names;
  const std::string lead = hostname(cluster.name, 0);
  if (hosts.empty() || cluster.name.empty() || std::ranges::find(hosts, lead) != hosts.end()) {
    return;
  }
  errors.push_back(invalid_hidden(path, "hosts has no \"" + lead +
                                            "\", the first host of this MiniCluster: its broker "
                                            "would not find itself and would not start"));
}

void validate_certificate(const Flux& flux, FieldErrors& errors) {
  if (!flux.curve_cert.empty()) {
    if (const auto keys = flux::parse_curve_certificate(flux.curve_cert); !keys) {
      errors.push_back(invalid_hidden(kPath / "curveCert", keys.error().message));
    }
  }
  const FieldPath secret = kPath / "curveCertSecret";
  validate_object_name(flux.curve_cert_secret, secret, errors);
  if (!flux.curve_cert.empty() && !flux.curve_cert_secret.empty()) {
    errors.push_back(
        forbidden(secret, "may not be given together with spec.flux.curveCert: choose one"));
  }
}

void validate_mount_path(const FluxContainer& view, FieldErrors& errors) {
  const FieldPath path = kPath / "container" / "mountPath";
  std::string_view mount = view.mount_path;
  while (mount.size() > 1 && mount.ends_with('/')) mount.remove_suffix(1);
  if (const auto wrong = not_absolute_path(mount)) {
    errors.push_back(invalid(path, view.mount_path, *wrong));
  } else if (mount.contains(':')) {
    errors.push_back(invalid(path, view.mount_path, "must not contain ':'"));
  } else if (mount == "/" || mount == kEntrypointPath || mount == kHomePath ||
             mount == kSoftwarePath || mount == kMungePath) {
    errors.push_back(invalid(path, view.mount_path,
                             "must be a separate folder, for example /mnt/flux: the pods need this "
                             "one for something else"));
  }
}

void validate_view(const FluxContainer& view, FieldErrors& errors) {
  const FieldPath path = kPath / "container";
  if (const auto wrong = not_dns1123_label(view.name)) {
    errors.push_back(invalid(path / "name", view.name, *wrong));
  }
  if (const auto wrong = not_image(view.image); wrong && !view.image.empty()) {
    errors.push_back(invalid(path / "image", view.image, *wrong));
  }
  if (const auto wrong = not_absolute_path(view.working_dir); wrong && !view.working_dir.empty()) {
    errors.push_back(invalid(path / "workingDir", view.working_dir, *wrong));
  }
  validate_object_name(view.image_pull_secret, path / "imagePullSecret", errors);
  validate_mount_path(view, errors);
  validate_resources(view.resources, path / "resources", errors);
}

}  // namespace

void validate_flux(const MiniCluster& cluster, FieldErrors& errors) {
  const Flux& flux = cluster.spec.flux;
  validate_view(flux.container, errors);
  if (const auto wrong = not_flux_duration(flux.connect_timeout)) {
    errors.push_back(invalid(kPath / "connectTimeout", flux.connect_timeout, *wrong));
  }
  if (const auto wrong = not_flux_topology(flux.topology); wrong && !flux.topology.empty()) {
    errors.push_back(invalid(kPath / "topology", flux.topology, *wrong));
  }
  const std::string& policy = flux.scheduler.queue_policy;
  if (!policy.empty() && std::ranges::find(kQueuePolicies, policy) == std::end(kQueuePolicies)) {
    errors.push_back(not_supported(kPath / "scheduler" / "queuePolicy", policy,
                                   {std::begin(kQueuePolicies), std::end(kQueuePolicies)}));
  }
  validate_object_name(flux.munge_secret, kPath / "mungeSecret", errors);
  validate_bursting(cluster, errors);
  validate_broker_config(cluster, errors);
  validate_certificate(flux, errors);
  for (const auto& [name, unused] : flux.environment) {
    if (const auto wrong = not_environment_name(name)) {
      errors.push_back(invalid((kPath / "environment").key(name), name, *wrong));
    }
  }
}

}  // namespace mc::api
