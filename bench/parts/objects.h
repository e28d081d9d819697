#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/controller/cluster/observed.h"

// Objects of the sizes that a benchmark asks for.
namespace mc::bench {

// A MiniCluster as a user writes it, with that many environment variables.
json minicluster(std::int64_t variables);

// A pod of a Job as the API server reports it, running and ready.
json running_pod(std::int64_t index);

// A MiniCluster whose objects all exist and whose pods all run, as the controller observes it.
controller::Observed running(std::int64_t pods);

}  // namespace mc::bench
