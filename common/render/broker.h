#pragma once
#include <cstdint>
#include <string>

#include "common/api/model/minicluster.h"

// The input of common/flux for a MiniCluster.
namespace mc::render {

// The hosts of all brokers in rank order, as an RFC 29 hostlist: the cluster up to maxSize, then
// the bursted clusters.
std::string broker_hosts(const api::MiniCluster& cluster);

// broker.toml: spec.flux.brokerConfig unchanged, if it is set.
std::string broker_config(const api::MiniCluster& cluster);

// Number of brokers that must be up before the command starts: minSize, or else size if there can
// be more hosts; 0: all hosts, Flux's default.
std::int64_t broker_quorum(const api::MiniCluster& cluster);
// The same as a number of pods: `size` for all hosts.
std::int64_t needed_brokers(const api::MiniCluster& cluster);

}  // namespace mc::render
