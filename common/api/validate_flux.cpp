#include "common/api/text_rules.h"
#include "common/api/validate.h"
#include "common/flux/broker_config.h"
#include "common/flux/curve.h"
#include "common/flux/hostlist.h"

namespace mc::api {
namespace {

// More hosts than a Job may have pods are no cluster.
constexpr std::size_t kMostHosts = 100000;

// With a hostlist the lead broker's host is in it; without, name and size make the host names.
void validate_lead_broker(const LeadBroker& lead, bool has_hostlist, const FieldPath& path,
                          FieldErrors& errors) {
  if (lead.address.empty()) {
    errors.push_back(required(path / "address", "the host name or IP address of the lead broker"));
  }
  if (lead.name.empty() && !has_hostlist) {
    errors.push_back(required(path / "name", "the name of the lead broker's MiniCluster"));
  }
  if (lead.size < 0) {
    errors.push_back(invalid(path / "size", lead.size, "must be greater than or equal to 1"));
  } else if (lead.size == 0 && !has_hostlist) {
    errors.push_back(required(path / "size", "the size of the lead broker's MiniCluster"));
  }
  if (lead.port < 1 || lead.port > 65535) {
    errors.push_back(invalid(path / "port", lead.port, "must be between 1 and 65535, inclusive"));
  }
}

void validate_bursting(const Bursting& bursting, const FieldPath& path, FieldErrors& errors) {
  const bool has_hostlist = !bursting.hostlist.empty();
  if (has_hostlist) {
    const auto hosts = flux::expand_hostlist(bursting.hostlist, kMostHosts);
    if (!hosts) {
      errors.push_back(invalid(path / "hostlist", bursting.hostlist, hosts.error().message));
    }
  }
  if (has_hostlist && !bursting.clusters.empty()) {
    errors.push_back(forbidden(path / "clusters",
                               "may not be given together with spec.flux.bursting.hostlist, which "
                               "already lists every host: choose one"));
  }
  if (bursting.lead_broker) {
    validate_lead_broker(*bursting.lead_broker, has_hostlist, path / "leadBroker", errors);
  }
  for (std::size_t i = 0; i < bursting.clusters.size(); ++i) {
    const std::int64_t size = bursting.clusters[i].size;
    if (size < 0) {
      errors.push_back(
          invalid((path / "clusters")[i] / "size", size,
                  "must be greater than or equal to 1; leave it out for the size of this cluster"));
    }
  }
}

// Texts that a broker would not start with, read as it reads them. They may be secret: only the
// reason is told.
void validate_texts(const Flux& flux, const FieldPath& path, FieldErrors& errors) {
  if (!flux.curve_cert.empty()) {
    if (const auto keys = flux::parse_curve_certificate(flux.curve_cert); !keys) {
      errors.push_back(invalid_hidden(path / "curveCert", keys.error().message));
    }
  }
  if (!flux.broker_config.empty()) {
    if (const auto config = flux::parse_broker_toml(flux.broker_config); !config) {
      errors.push_back(invalid_hidden(path / "brokerConfig", config.error().message));
    }
  }
}

}  // namespace

void validate_flux(const Flux& flux, FieldErrors& errors) {
  const FieldPath path = FieldPath("spec") / "flux";
  if (const auto wrong = not_dns1123_label(flux.container.name)) {
    errors.push_back(invalid(path / "container" / "name", flux.container.name, *wrong));
  }
  if (const auto wrong = not_absolute_path(flux.container.mount_path)) {
    errors.push_back(invalid(path / "container" / "mountPath", flux.container.mount_path, *wrong));
  }
  if (const auto wrong = not_flux_duration(flux.connect_timeout)) {
    errors.push_back(invalid(path / "connectTimeout", flux.connect_timeout, *wrong));
  }
  validate_resources(flux.container.resources, path / "container" / "resources", errors);
  validate_bursting(flux.bursting, path / "bursting", errors);
  validate_texts(flux, path, errors);
  for (const auto& [name, unused] : flux.environment) {
    if (const auto wrong = not_environment_name(name)) {
      errors.push_back(invalid((path / "environment").key(name), name, *wrong));
    }
  }
}

}  // namespace mc::api
