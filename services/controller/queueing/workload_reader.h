#pragma once
#include <map>
#include <set>
#include <string>

#include "services/controller/cache/caches.h"
#include "services/controller/queueing/workload.h"

namespace mc::controller::queueing {

// Reads Workloads from the caches. Of each MiniCluster it remembers whose pods hold resources,
// because those of a Job that is gone hold them until they end. Not thread safe.
class WorkloadReader {
 public:
  // The caches must outlive this object.
  explicit WorkloadReader(const Caches& caches) : caches_(caches) {}

  // The MiniCluster with this key, or what is left of it. `owners`: the uids of the owners of pods
  // that changed since the last call for it.
  Workload read(const std::string& key, const std::set<std::string>& owners, Time now);
  void forget() { owners_.clear(); }

 private:
  // By uid; true if it was seen with its MiniCluster, or as its Job.
  using Owners = std::map<std::string, bool>;

  const Caches& caches_;
  std::map<std::string, Owners> owners_;  // whose pods hold something, by the MiniCluster's key
};

}  // namespace mc::controller::queueing
