#pragma once
#include <string>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The Secret whose key curve.cert the container that runs Flux has: the user's own
// (spec.flux.curveCertSecret) or the one below.
std::string certificate_secret(const api::MiniCluster& cluster);

// False where the user brings a Secret: then none of ours is made.
bool makes_secret(const api::MiniCluster& cluster);

// The immutable Secret with curve.cert. `certificate` is the text of the file; the caller decides
// between spec.flux.curveCert and a fresh one.
json secret(const api::MiniCluster& cluster, std::string certificate);

}  // namespace mc::render
