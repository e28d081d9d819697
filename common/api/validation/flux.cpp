#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/model/names.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/base/text.h"
#include "common/flux/broker_toml.h"
#include "common/flux/curve.h"
#include "common/flux/hostlist.h"

namespace mc::api {
namespace {

const FieldPath kFlux = kSpec / "flux";

// The policies of Fluxion 0.54 (sched-fluxion-qmanager(5), queue-policy); with any other it does
// not load.
constexpr std::string_view kQueuePolicies[] = {"fcfs", "easy", "hybrid", "conservative"};

void validate_broker_config(const MiniCluster& cluster, FieldErrors& errors) {
  const FieldPath path = kFlux / "brokerConfig";
  const auto hosts = validate_broker_toml(cluster.spec.flux.broker_config, path, errors);
  const std::string lead = hostname(cluster.name, 0);
  if (hosts.empty() || cluster.name.empty() || std::ranges::find(hosts, lead) != hosts.end()) {
    return;
  }
  errors.push_back(invalid_hidden(path, "the key hosts does not list \"" + lead +
                                            "\", the first host of this MiniCluster: the broker of "
                                            "that host would not find itself and would not start"));
}

void validate_certificate(const Flux& flux, FieldErrors& errors) {
  if (!flux.curve_cert.empty()) {
    if (const auto keys = flux::parse_curve_certificate(flux.curve_cert); !keys) {
      errors.push_back(invalid_hidden(kFlux / "curveCert", keys.error().message));
    }
  }
  const FieldPath secret = kFlux / "curveCertSecret";
  validate_object_name(flux.curve_cert_secret, secret, errors);
  if (!flux.curve_cert.empty() && !flux.curve_cert_secret.empty()) {
    errors.push_back(
        forbidden(secret, "may not be given together with spec.flux.curveCert: choose one"));
  }
}

void validate_mount_path(const FluxContainer& view, FieldErrors& errors) {
  const FieldPath path = kFlux / "container" / "mountPath";
  const std::string mount = normal_path(view.mount_path);
  if (const auto wrong = not_absolute_path(view.mount_path)) {
    errors.push_back(invalid(path, view.mount_path, *wrong));
  } else if (mount.contains(':')) {
    errors.push_back(invalid(path, view.mount_path, "must not contain ':'"));
  } else if (mount == "/" || mount == kEntrypointPath || mount == kHomePath ||
             mount == kSoftwarePath || mount == kMungePath) {
    errors.push_back(invalid(path, view.mount_path,
                             "must be a separate folder, for example /mnt/flux: the pods use this "
                             "folder for something else"));
  }
}

void validate_view(const MiniCluster& cluster, FieldErrors& errors) {
  const FluxContainer& view = cluster.spec.flux.container;
  const FieldPath path = kFlux / "container";
  if (const auto wrong = not_dns1123_label(view.name)) {
    errors.push_back(invalid(path / "name", view.name, *wrong));
  } else if (!view.disable && view.name == runner_container_name(cluster)) {
    errors.push_back(duplicate(path / "name", view.name,
                               "is also the name of the container that runs Flux, which is that "
                               "of the MiniCluster: choose another name"));
  }
  validate_image(view.image, path / "image", errors);
  if (const auto wrong = not_absolute_path(view.working_dir); wrong && !view.working_dir.empty()) {
    errors.push_back(invalid(path / "workingDir", view.working_dir, *wrong));
  }
  validate_object_name(view.image_pull_secret, path / "imagePullSecret", errors);
  validate_mount_path(view, errors);
  validate_resources(view.resources, path / "resources", errors);
}

const FieldPath kBursting = kFlux / "bursting";

constexpr std::size_t kLongestHostlist = 262144;  // bytes

// Validates the host names `name`-0 ... of a cluster elsewhere.
void validate_host_names(const std::string& name, std::int64_t size, const FieldPath& path,
                         FieldErrors& errors) {
  if (const auto wrong = not_dns1123_label(name)) {
    errors.push_back(invalid(path, name, *wrong));
  } else if (size > 0 && hostname(name, size - 1).size() > kMaxLabel) {
    errors.push_back(invalid(path, name,
                             "must be shorter: the host name of the last pod, \"" +
                                 hostname(name, size - 1) + "\", may not be more than 63 bytes"));
  }
}

void validate_size(std::int64_t size, const FieldPath& path, const std::string& advice,
                   FieldErrors& errors) {
  if (size < 0) {
    errors.push_back(invalid(path, size, "must be greater than or equal to 1" + advice));
  } else if (static_cast<std::size_t>(size) > flux::kMaxHosts) {
    errors.push_back(
        invalid(path, size, "must be less than or equal to " + std::to_string(flux::kMaxHosts)));
  }
}

// With a hostlist, the lead broker's host is in it; otherwise its name and size make the host
// names.
void validate_lead_broker(const LeadBroker& lead, bool has_hostlist, FieldErrors& errors) {
  const FieldPath path = kBursting / "leadBroker";
  if (lead.address.empty()) {
    errors.push_back(required(path / "address", "the host name or IP address of the lead broker"));
  } else if (const auto host = flux::expand_hostlist(lead.address, 1); !host) {
    errors.push_back(invalid(path / "address", lead.address,
                             "must be one host name or IPv4 address: " + host.error().message));
  } else if (host->front() != lead.address) {
    errors.push_back(invalid(path / "address", lead.address,
                             "must be one host name or IPv4 address, not a hostlist"));
  }
  if (lead.name.empty() && !has_hostlist) {
    errors.push_back(required(path / "name", "the name of the lead broker's MiniCluster"));
  } else if (!lead.name.empty() && !has_hostlist) {
    validate_host_names(lead.name, lead.size, path / "name", errors);
  }
  validate_size(lead.size, path / "size", "", errors);
  if (lead.size == 0 && !has_hostlist) {
    errors.push_back(required(path / "size", "the size of the lead broker's MiniCluster"));
  }
  if (lead.port < 1 || lead.port > 65535) {
    errors.push_back(invalid(path / "port", lead.port, "must be between 1 and 65535, inclusive"));
  }
}

// Host names are derived from the clusters' names, so two clusters with one name would have the
// same hosts.
void validate_clusters(const MiniCluster& cluster, FieldErrors& errors) {
  const Bursting& bursting = cluster.spec.flux.bursting;
  std::map<std::string, std::string> taken;
  if (bursting.lead_broker) {
    taken[bursting.lead_broker->name] = "the lead broker's MiniCluster";
  } else if (!cluster.name.empty()) {
    taken[cluster.name] = "this MiniCluster, whose hosts are in the list already";
  }
  for (std::size_t i = 0; i < bursting.clusters.size(); ++i) {
    const auto& [name, size] = bursting.clusters[i];
    const FieldPath path = (kBursting / "clusters")[i];
    validate_host_names(name, size, path / "name", errors);
    validate_size(size, path / "size", "; omit size to use spec.maxSize of this MiniCluster",
                  errors);
    const auto [first, added] = taken.emplace(name, (path / "name").str());
    if (!added) {
      errors.push_back(duplicate(path / "name", name, "is the name of " + first->second));
    }
  }
}

// The hosts that this MiniCluster certainly has: a broker that is not in the list does not start.
void validate_own_hosts_in_hostlist(const MiniCluster& cluster, FieldErrors& errors) {
  const std::string& list = cluster.spec.flux.bursting.hostlist;
  if (list.size() > kLongestHostlist) {
    errors.push_back(too_long(kBursting / "hostlist", kLongestHostlist));
    return;
  }
  const auto hosts = flux::expand_hostlist(list, flux::kMaxHosts);
  if (!hosts) {
    errors.push_back(invalid(kBursting / "hostlist", list, hosts.error().message));
  } else if (const std::string missing = missing_own_hosts(cluster, *hosts); !missing.empty()) {
    errors.push_back(invalid(kBursting / "hostlist", list,
                             "must include this MiniCluster's own hosts: add " + missing));
  }
}

// If the lead broker is elsewhere, this MiniCluster is one of the bursted clusters.
void validate_own_cluster(const MiniCluster& cluster, const LeadBroker& lead, FieldErrors& errors) {
  const Bursting& bursting = cluster.spec.flux.bursting;
  const std::int64_t size = cluster.spec.size, most = std::max(size, cluster.spec.max_size);
  if (lead.name == cluster.name) {
    errors.push_back(invalid(kBursting / "leadBroker" / "name", cluster.name,
                             "is the name of this MiniCluster, whose hosts would have the same "
                             "names as the lead broker's"));
    return;
  }
  for (std::size_t i = 0; i < bursting.clusters.size(); ++i) {
    const auto& [name, hosts] = bursting.clusters[i];
    if (name != cluster.name) continue;
    if (hosts < size) {
      errors.push_back(invalid((kBursting / "clusters")[i] / "size", hosts,
                               "must be greater than or equal to spec.size (" +
                                   std::to_string(size) +
                                   "), because this entry is the MiniCluster itself"));
    }
    return;
  }
  errors.push_back(
      required(kBursting / "clusters",
               "the list must include this MiniCluster itself: add an entry with name \"" +
                   cluster.name + "\" and size " + std::to_string(most)));
}

void validate_bursting(const MiniCluster& cluster, FieldErrors& errors) {
  const Bursting& bursting = cluster.spec.flux.bursting;
  const bool has_hostlist = !bursting.hostlist.empty();
  if (has_hostlist) validate_own_hosts_in_hostlist(cluster, errors);
  if (has_hostlist && !bursting.clusters.empty()) {
    errors.push_back(forbidden(kBursting / "clusters",
                               "may not be given together with spec.flux.bursting.hostlist, which "
                               "already lists every host: choose one"));
  }
  if (bursting.lead_broker) validate_lead_broker(*bursting.lead_broker, has_hostlist, errors);
  if (has_hostlist) return;
  validate_clusters(cluster, errors);
  if (bursting.lead_broker && !cluster.name.empty()) {
    validate_own_cluster(cluster, *bursting.lead_broker, errors);
  }
}

}  // namespace

void validate_flux(const MiniCluster& cluster, FieldErrors& errors) {
  const Flux& flux = cluster.spec.flux;
  validate_view(cluster, errors);
  if (const auto wrong = not_flux_duration(flux.connect_timeout)) {
    errors.push_back(invalid(kFlux / "connectTimeout", flux.connect_timeout, *wrong));
  }
  if (const auto wrong = not_flux_topology(flux.topology); wrong && !flux.topology.empty()) {
    errors.push_back(invalid(kFlux / "topology", flux.topology, *wrong));
  }
  const std::string& policy = flux.scheduler.queue_policy;
  if (!policy.empty() && std::ranges::find(kQueuePolicies, policy) == std::end(kQueuePolicies)) {
    errors.push_back(not_supported(kFlux / "scheduler" / "queuePolicy", policy,
                                   {std::begin(kQueuePolicies), std::end(kQueuePolicies)}));
  }
  if (flux.cores_from != "Pod" && flux.cores_from != "Node") {
    errors.push_back(not_supported(kFlux / "coresFrom", flux.cores_from, {"Node", "Pod"}));
  }
  validate_object_name(flux.munge_secret, kFlux / "mungeSecret", errors);
  validate_bursting(cluster, errors);
  validate_broker_config(cluster, errors);
  validate_certificate(flux, errors);
  for (const auto& [name, unused] : flux.environment) {
    if (const auto wrong = not_environment_name(name)) {
      errors.push_back(invalid((kFlux / "environment").key(name), name, *wrong));
    }
  }
}

std::vector<std::string> validate_broker_toml(const std::string& text, const FieldPath& path,
                                              FieldErrors& errors) {
  if (text.empty() || text.size() > kMostText) return {};
  auto config = flux::parse_broker_toml(text);
  if (!config) {
    errors.push_back(invalid_hidden(path, config.error().message));
    return {};
  }
  for (const std::string& problem : config->problems) {
    errors.push_back(invalid_hidden(path, problem));
  }
  return std::move(config->host_names);
}

std::string missing_own_hosts(const MiniCluster& cluster, const std::vector<std::string>& hosts) {
  if (cluster.name.empty()) return "";
  const std::set<std::string_view> listed(hosts.begin(), hosts.end());
  const std::int64_t size = std::min<std::int64_t>(cluster.spec.size, flux::kMaxHosts);
  for (std::int64_t i = 0; i < size; ++i) {
    if (!listed.contains(hostname(cluster.name, i))) {
      return flux::hostlist(cluster.name, size - i, i);
    }
  }
  return "";
}

}  // namespace mc::api
