#include "common/render/broker_config.h"

#include <algorithm>
#include <vector>

#include "common/api/model/names.h"
#include "common/base/text.h"
#include "common/flux/broker_toml.h"
#include "common/flux/hostlist.h"

namespace mc::render {
namespace {

// A pod has 30 s to end, including the archive of its state.
constexpr const char* kKillTimeout = "0.5s";

// All hosts in rank order, as hostlists.
std::vector<std::string> hostlists(const api::MiniCluster& cluster) {
  const api::Bursting& bursting = cluster.spec.flux.bursting;
  if (!bursting.hostlist.empty()) return {bursting.hostlist};
  const auto& lead = bursting.lead_broker;
  std::vector<std::string> out = {lead ? flux::hostlist(lead->name, lead->size)
                                       : flux::hostlist(cluster.name, most_hosts(cluster.spec))};
  for (const api::BurstedCluster& burst : bursting.clusters) {
    out.push_back(flux::hostlist(burst.name, burst.size));
  }
  std::erase(out, "");
  return out;
}

// An address for an endpoint: IPv6 in brackets.
std::string in_endpoint(const std::string& address) {
  const bool bare_ipv6 = address.contains(':') && !address.starts_with('[');
  return bare_ipv6 ? "[" + address + "]" : address;
}

// The entry of a lead in another cluster, whose names do not resolve here.
flux::HostEntry elsewhere(std::string host, const api::LeadBroker& lead) {
  const std::string port = std::to_string(lead.port);
  return {std::move(host), "tcp://*:" + port, "tcp://" + in_endpoint(lead.address) + ":" + port};
}

// The first host of a valid hostlist.
std::string first_host(const std::string& hostlist) {
  const auto hosts = flux::expand_hostlist(hostlist, flux::kMaxHosts);
  return hosts && !hosts->empty() ? hosts->front() : hostlist;
}

// In rank order, with the names that the hosts themselves have: all clusters of a burst must have
// the same. A host in two entries is one host (flux-config-bootstrap(5)).
std::vector<flux::HostEntry> host_entries(const api::MiniCluster& cluster) {
  const api::Bursting& bursting = cluster.spec.flux.bursting;
  std::vector<flux::HostEntry> out;
  if (const auto& lead = bursting.lead_broker) {
    out.push_back(elsewhere(
        bursting.hostlist.empty() ? api::hostname(lead->name, 0) : first_host(bursting.hostlist),
        *lead));
  }
  for (std::string& hosts : hostlists(cluster)) out.push_back({std::move(hosts), "", ""});
  return out;
}

}  // namespace

std::int64_t most_hosts(const api::Spec& spec) { return std::max(spec.max_size, spec.size); }

std::string broker_hosts(const api::MiniCluster& cluster) {
  return joined(hostlists(cluster), ",");
}

std::string broker_config(const api::MiniCluster& cluster) {
  const api::Flux& spec = cluster.spec.flux;
  if (!spec.broker_config.empty()) return spec.broker_config;
  const std::string folder = spec.container.mount_path + "/config";
  flux::BrokerConfig config;
  config.curve_cert = folder + "/curve/curve.cert";
  config.resource_path = folder + "/etc/flux/system/R";
  // Flux compares the name that the kernel has, which is the node's.
  config.verify_resources = !uses_host_network(cluster);
  config.hosts = host_entries(cluster);
  config.connect = flux::connect_through_service(headless_name(cluster));
  config.kill_timeout = kKillTimeout;
  config.archive_path = folder + "/var/lib/flux/job-archive.sqlite";
  if (!spec.scheduler.simple) config.queue_policy = spec.scheduler.queue_policy;
  return flux::broker_toml(config);
}

}  // namespace mc::render
