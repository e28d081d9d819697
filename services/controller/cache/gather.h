#pragma once
#include <optional>
#include <string>

#include "services/controller/cache/caches.h"
#include "services/controller/cluster/observed.h"

namespace mc::controller {

// One MiniCluster and the objects that it owns. Nothing if there is no such MiniCluster.
std::optional<Observed> gather(const Caches& caches, const std::string& key);

}  // namespace mc::controller
