#pragma once
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

// MiniCluster -> the Kubernetes objects that it is made of. Pure: no I/O, no clock, no randomness;
// the same MiniCluster gives the same bytes. Total: never throws on any MiniCluster.
namespace mc::render {

// Every object, in the order of creation: ConfigMap, Secret (unless spec.flux.curveCertSecret names
// one), headless Service, sidecars' Services, services pod, Job. `cluster` has its defaults and was
// accepted. `certificate` is the text of curve.cert (spec.flux.curveCert wins over a fresh one; the
// caller decides); not looked at where no Secret is made.
std::vector<json> render(const api::MiniCluster& cluster, std::string certificate);

}  // namespace mc::render
