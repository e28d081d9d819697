#include "common/render/quorum.h"

#include "common/render/broker_config.h"

namespace mc::render {

std::int64_t broker_quorum(const api::MiniCluster& cluster) {
  const api::Spec& spec = cluster.spec;
  if (spec.min_size > 0) return spec.min_size;
  const api::Bursting& bursting = spec.flux.bursting;
  const bool more_hosts = most_hosts(spec) > spec.size || !bursting.clusters.empty() ||
                          !bursting.hostlist.empty() || bursting.lead_broker.has_value();
  return more_hosts ? spec.size : 0;
}

std::int64_t needed_brokers(const api::MiniCluster& cluster) {
  const std::int64_t quorum = broker_quorum(cluster);
  return quorum > 0 ? quorum : cluster.spec.size;
}

}  // namespace mc::render
