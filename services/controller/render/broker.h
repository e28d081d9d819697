#pragma once
#include <cstdint>
#include <string>

#include "common/api/model/minicluster.h"

// What common/flux needs to know of a MiniCluster.
namespace mc::render {

// Every broker's host in the order of ranks, as an RFC 29 hostlist: the cluster up to maxSize, then
// the bursted clusters.
std::string broker_hosts(const api::MiniCluster& cluster);

// broker.toml; spec.flux.brokerConfig as it is where the user gave one.
std::string broker_config(const api::MiniCluster& cluster);

// How many brokers must be up before the command starts: minSize, or size where there can be more
// hosts than that; 0: all hosts, Flux's own default.
std::int64_t broker_quorum(const api::MiniCluster& cluster);

}  // namespace mc::render
