#pragma once
#include <cstdint>
#include <string>

#include "common/api/model/minicluster.h"

// What the brokers of a MiniCluster are configured with.
namespace mc::render {

// The hosts of all brokers in rank order, as an RFC 29 hostlist: the cluster up to maxSize, then
// the bursted clusters.
std::string broker_hosts(const api::MiniCluster& cluster);

// broker.toml: spec.flux.brokerConfig unchanged, if it is set.
std::string broker_config(const api::MiniCluster& cluster);

// The hosts of this cluster that there may be: maxSize, or else size.
std::int64_t most_hosts(const api::Spec& spec);

}  // namespace mc::render
