#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"

// The pods of a MiniCluster, as the API server returns them.
namespace mc::kubectl {

// The label selector of the pods of this MiniCluster, and of no earlier one of that name.
std::string selector_of_pods(const json& minicluster);

// The container that runs Flux: it has the MiniCluster's name.
std::string flux_container(const json& minicluster);

// The index of a broker's pod, which is the broker's rank (docs/pods.md); nothing for the services
// pod.
std::optional<std::int64_t> rank_of(const json& pod);

// The number of ranks: there may be a pod of any of them, also of those that a larger size had.
std::int64_t ranks_of(const json& minicluster);

// The pod of a rank: of those with that index the one that was created last, because a Job replaces
// a pod that has failed. Null if there is none.
const json* pod_of_rank(const std::vector<json>& pods, std::int64_t rank);

// The same of all ranks.
std::map<std::int64_t, const json*> pods_by_rank(const std::vector<json>& pods);

// The status of one of the pod's containers or init containers; null if the kubelet has not
// reported it.
const json& container_status(const json& pod, const std::string& container);

// Whether a container runs or has ended, by its status, and so has a log.
bool has_started(const json& status);
bool is_running(const json& status);

}  // namespace mc::kubectl
