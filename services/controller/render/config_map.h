#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The immutable ConfigMap with the files of /flux_operator, which has no secrets.
json config_map(const api::MiniCluster& cluster);

}  // namespace mc::render
