#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "common/api/model/quantity.h"

namespace mc::controller {

// Pods that hold resources and request the same.
struct PodGroup {
  api::Amounts requests;  // of each
  // Pods of a Job, and others: the services pod.
  std::int64_t brokers = 0, others = 0;
};

// The pods of one owner that hold resources, by what they request: all pods of a Job are almost
// always one group, so that what they use is known without reading them.
class PodTally {
  struct Counts {
    std::int64_t brokers = 0, others = 0;
  };
  using Groups = std::map<api::Amounts, Counts>;

 public:
  // Where a pod is counted; null: nowhere.
  struct Place {
    Groups::value_type* group = nullptr;
    bool is_broker = false;
  };

  // Counts a pod that has not ended and so holds what it requests.
  Place add(const api::Amounts& requests, bool is_broker);
  void remove(const Place& place);  // once for each add()

  std::vector<PodGroup> groups() const;

 private:
  Groups groups_;
};

}  // namespace mc::controller
