#pragma once
#include <string>

#include "common/api/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The immutable Secret with curve.cert. `certificate` is the text of the file; the caller decides
// between spec.flux.curveCert and a fresh one.
json secret(const api::MiniCluster& cluster, std::string certificate);

}  // namespace mc::render
