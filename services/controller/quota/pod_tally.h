#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::controller::quota {

// Pods that hold resources and request the same.
struct PodGroup {
  json spec;  // of each
  // Pods of a Job, and others: the services pod.
  std::int64_t brokers = 0, others = 0;
};

// The pods of one owner that hold resources, by what they request: all pods of a Job are almost
// always one group, so that what they use is known without reading them.
class PodTally {
 public:
  // Where a pod is counted; null if it has ended and holds nothing, also while it is there.
  struct Place {
    PodGroup* group = nullptr;
    bool is_broker = false;
  };

  // `pod` as cached (cache/reduce.h).
  Place add(const json& pod);
  void remove(const Place& place);  // once for each add()

  std::vector<PodGroup> groups() const;

 private:
  std::map<std::string, PodGroup> groups_;  // by the text of the spec
};

}  // namespace mc::controller::quota
