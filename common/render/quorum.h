#pragma once
#include <cstdint>

#include "common/api/model/minicluster.h"

// How many brokers the command needs: what the lead waits for, what gang scheduling places at once,
// and what a drain must leave.
namespace mc::render {

// Number of brokers that must be up before the command starts: minSize, or else size if there can
// be more hosts; 0: all hosts, Flux's default.
std::int64_t broker_quorum(const api::MiniCluster& cluster);
// The same as a number of pods: `size` for all hosts.
std::int64_t needed_brokers(const api::MiniCluster& cluster);

}  // namespace mc::render
