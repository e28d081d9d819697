#pragma once
#include <string>

#include "common/api/model/minicluster.h"

namespace mc::render {

// settings.sh: what the scripts need of a MiniCluster, as assignments of shell variables (mc_*),
// every value quoted. True is "1", false is "".
std::string settings(const api::MiniCluster& cluster);

}  // namespace mc::render
