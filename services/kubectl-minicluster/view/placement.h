#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"

// Which pods of a MiniCluster have no node.
namespace mc::kubectl {

// Pods of which the same is said.
struct Unplaced {
  std::string pods;  // `pods 1, 3 and 5 to 7 (first x-1-abcde)`; of many ranges, the first ones
  std::string why;   // in the scheduler's words
};

struct Placement {
  std::int64_t size = 0;          // pods of the Job
  std::int64_t needed = 0;        // as many as the command needs
  std::int64_t placed = 0;        // have a node
  std::vector<Unplaced> without;  // by the first pod of each; those that do not exist are the last
};

// Nothing is without a node if there are no pods, or if the MiniCluster waits or has ended.
Placement placement_of(const json& minicluster, const std::vector<json>& pods);

}  // namespace mc::kubectl
