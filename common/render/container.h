#pragma once
#include <cstddef>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// Container `index` of spec.containers, by its role.
json job_container(const api::MiniCluster& cluster, std::size_t index);

// The init container, which copying the Flux view and writes the configuration. A pod with
// flux.container.disable has no init container: its runner writes the configuration.
json init_container(const api::MiniCluster& cluster);

// A container of spec.services: without our scripts, volumes and environment.
json service_container(const api::Container& container);

}  // namespace mc::render
