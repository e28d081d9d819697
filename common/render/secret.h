#pragma once
#include <string>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The name of the Secret with the key curve.cert for the container that runs Flux: the user's
// (spec.flux.curveCertSecret) or ours.
std::string certificate_secret(const api::MiniCluster& cluster);

// False if the user provides a Secret, so that none of ours is made.
bool makes_secret(const api::MiniCluster& cluster);

// The immutable Secret with curve.cert. `certificate` is the text of the file; the caller chooses
// spec.flux.curveCert or a new one.
json secret(const api::MiniCluster& cluster, std::string certificate);

}  // namespace mc::render
