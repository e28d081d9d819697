#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/observe/metrics.h"

namespace mc::controller {

// minicluster_watches_failing{kind}: of each watched kind, in how many namespaces its watch fails
// now. Thread-safe.
class WatchHealth {
 public:
  // It must outlive the registry's last text().
  explicit WatchHealth(observe::Registry& registry);

  // For a watch (InformerHooks::works). `ns`: "" if it watches all namespaces. It must not outlive
  // this object.
  std::function<void(bool works)> of(const std::string& kind, const std::string& ns);

 private:
  std::vector<observe::Sample> failing() const;

  Guarded<std::map<std::string, std::set<std::string>>> failing_;  // namespaces, by kind
};

}  // namespace mc::controller
