#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "common/api/model/quantity.h"

namespace mc::controller {

// Pods that hold resources and request the same.
struct EqualPods {
  api::Amounts requests;  // of each
  std::int64_t count = 0;
};

// The pods of one owner that hold resources, by what they request: all pods of a Job are almost
// always one group, so that what they use is known without reading them.
class PodTally {
  using Groups = std::map<api::Amounts, std::int64_t>;

 public:
  // Where a pod is counted; null: nowhere.
  using Place = Groups::value_type*;

  // Counts a pod that has not ended and so holds what it requests.
  Place add(const api::Amounts& requests);
  void remove(Place place);  // once for each add()

  std::vector<EqualPods> groups() const;

 private:
  Groups groups_;
};

}  // namespace mc::controller
