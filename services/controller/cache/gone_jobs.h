#pragma once
#include <map>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/kube/store.h"
#include "services/controller/cluster/observed.h"

namespace mc::controller {

// The last state of each Job that was deleted, or taken from its owner, before the end of its
// MiniCluster was written, by the key of both: a Job that ends and is deleted at once is seen only
// here.
class GoneJobs {
 public:
  // Follows the Jobs. A Job is kept if its MiniCluster is among `clusters`, is not deleted and has
  // not ended.
  void update(const kube::Change<Job>& change, const kube::StoreSet<MiniCluster>& clusters);
  // The Job of that key that is gone, if its controller has this uid.
  std::optional<GoneJob> of(const std::string& key, const std::string& cluster_uid) const;
  void forget(const std::string& key);

 private:
  // A process that does not lead forgets nothing.
  static constexpr std::size_t kMost = 10'000;
  struct Kept {
    Shared<Job> last;
    bool seen;
  };
  Guarded<std::map<std::string, Kept>> kept_;
};

}  // namespace mc::controller
