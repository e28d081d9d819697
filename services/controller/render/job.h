#pragma once
#include "common/api/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The Indexed Job whose pods are the brokers.
json job(const api::MiniCluster& cluster);

}  // namespace mc::render
