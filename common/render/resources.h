#pragma once
#include <cstdint>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

// What the containers of the Job's pods have of their node, after spec.pod.template was merged.
namespace mc::render {

// The number of GPUs in the limits of the container that runs Flux: the sum of nvidia.com/gpu,
// amd.com/gpu and cluster.more_gpus. Slices of a GPU (nvidia.com/mig-1g.5gb) and DRA claims do not
// count: Flux numbers whole GPUs from 0.
std::int64_t gpus(const api::MiniCluster& cluster);

// Gives each container of `pod`, the finished template of the Job's pods, the volume of
// spec.pod.sharedMemory at /dev/shm unless it has a mount there. The containers of a pod share one
// /dev/shm, and so they share the volume. Nothing with hostIPC, where /dev/shm is the node's.
void add_shared_memory(const api::MiniCluster& cluster, json& pod);

}  // namespace mc::render
