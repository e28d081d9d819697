#pragma once
#include <string>

#include "common/base/json.h"

namespace mc::api {

// A ConfigMap that the controller keeps for itself or for users, without content. It does not have
// the label of MiniClusters' objects: it belongs to none of them, and is in no cache.
json own_config_map(const std::string& ns, const std::string& name);

}  // namespace mc::api
