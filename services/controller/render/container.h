#pragma once
#include <cstddef>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// Container `index` of spec.containers, as its role wants it.
json job_container(const api::MiniCluster& cluster, std::size_t index);

// The init container that brings the Flux view (unless disabled) and the configuration.
json init_container(const api::MiniCluster& cluster);

// A container of spec.services: nothing of ours in it.
json service_container(const api::Container& container);

}  // namespace mc::render
