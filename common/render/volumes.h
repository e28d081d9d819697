#pragma once
#include <cstddef>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The volumes of the Job's pods, sorted by name: ours, and those of spec.containers.
json job_volumes(const api::MiniCluster& cluster);

// The mounts of container `index` of spec.containers: ours and its own.
json job_mounts(const api::MiniCluster& cluster, std::size_t index);

// The mounts of the init container, which exists only with a view.
json init_mounts(const api::MiniCluster& cluster);

// The volumes of spec.services, sorted by name, and the mounts of one of its containers.
json services_volumes(const api::MiniCluster& cluster);
json own_mounts(const api::Container& container);

}  // namespace mc::render
