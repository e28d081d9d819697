#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The immutable ConfigMap with the files of /flux_operator; never a secret.
json config_map(const api::MiniCluster& cluster);

}  // namespace mc::render
