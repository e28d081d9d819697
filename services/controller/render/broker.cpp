#include "services/controller/render/broker.h"

#include <algorithm>
#include <vector>

#include "common/api/names.h"
#include "common/flux/broker_config.h"
#include "common/flux/hostlist.h"

namespace mc::render {
namespace {

std::int64_t most_hosts(const api::Spec& spec) { return std::max(spec.max_size, spec.size); }

// The lead's address when it is in another cluster, and how to reach it there.
flux::HostEntry elsewhere(const api::LeadBroker& lead) {
  const std::string port = std::to_string(lead.port);
  return {lead.address, "tcp://*:" + port, "tcp://" + lead.address + ":" + port};
}

// In the order of ranks: every side of a burst must have the same.
std::vector<flux::HostEntry> host_entries(const api::MiniCluster& cluster) {
  const api::Bursting& bursting = cluster.spec.flux.bursting;
  std::vector<flux::HostEntry> out;
  const auto add = [&out](std::string hosts) {
    if (!hosts.empty()) out.push_back({std::move(hosts), "", ""});
  };
  if (!bursting.hostlist.empty()) {
    add(bursting.hostlist);
    return out;
  }
  if (bursting.lead_broker) {
    out.push_back(elsewhere(*bursting.lead_broker));
    add(flux::hostlist(bursting.lead_broker->name, bursting.lead_broker->size - 1, 1));
  } else {
    add(flux::hostlist(cluster.name, most_hosts(cluster.spec)));
  }
  for (const api::BurstedCluster& burst : bursting.clusters) {
    add(flux::hostlist(burst.name, burst.size));
  }
  return out;
}

}  // namespace

std::string broker_hosts(const api::MiniCluster& cluster) {
  std::string out;
  for (const flux::HostEntry& entry : host_entries(cluster)) {
    out += (out.empty() ? "" : ",") + entry.host;
  }
  return out;
}

std::string broker_config(const api::MiniCluster& cluster) {
  const api::Flux& spec = cluster.spec.flux;
  if (!spec.broker_config.empty()) return spec.broker_config;
  const std::string folder = spec.container.mount_path + "/config";
  flux::BrokerConfig config;
  config.curve_cert = folder + "/curve/curve.cert";
  config.resource_path = folder + "/etc/flux/system/R";
  config.hosts = host_entries(cluster);
  config.connect = flux::connect_through_service(headless_name(cluster));
  config.archive_path = folder + "/var/lib/flux/job-archive.sqlite";
  if (!spec.scheduler.simple) config.queue_policy = spec.scheduler.queue_policy;
  return flux::broker_toml(config);
}

std::int64_t broker_quorum(const api::MiniCluster& cluster) {
  const api::Spec& spec = cluster.spec;
  if (spec.min_size > 0) return spec.min_size;
  const api::Bursting& bursting = spec.flux.bursting;
  const bool more_hosts = most_hosts(spec) > spec.size || !bursting.clusters.empty() ||
                          !bursting.hostlist.empty() || bursting.lead_broker.has_value();
  return more_hosts ? spec.size : 0;
}

}  // namespace mc::render
