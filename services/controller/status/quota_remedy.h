#pragma once
#include <string>

#include "common/api/model/minicluster.h"

namespace mc::controller {

// What to set if `refusal`, a message of the API server, says that a ResourceQuota wants requests
// or limits that containers of the MiniCluster do not have: "; set FIELD, FIELD". Otherwise "".
std::string remedy_of_quota(const std::string& refusal, const api::MiniCluster& cluster);

}  // namespace mc::controller
