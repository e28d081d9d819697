#pragma once
#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::controller {

using Snapshot = std::shared_ptr<const json>;

// What was seen of one MiniCluster and of the objects that it owns, at one moment and from caches
// that may be late. Everything is decided from this.
struct Observed {
  Snapshot cluster;                // never null
  std::vector<Snapshot> owned;     // objects whose controller is this cluster, by uid
  std::vector<Snapshot> pods;      // those of its Job (pods.h)
  std::vector<Snapshot> refusals;  // events that tell why its Job has no pods (pods.h)
  // Events that tell why pods of its Job wait for a volume (pods.h).
  std::vector<Snapshot> mount_failures;
  std::vector<Snapshot> workloads;  // Kueue's of its Job (workload.h)

  // The owned object of that kind and name, null where none was seen. An object that is being
  // deleted counts: its name is not free yet.
  const json* find(std::string_view kind, std::string_view name) const;
};

// True once it was told to go: it has a deletionTimestamp.
bool is_deleted(const json& object);

}  // namespace mc::controller
