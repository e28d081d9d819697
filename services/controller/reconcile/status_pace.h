#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "common/base/guarded.h"
#include "services/controller/cluster/types.h"

namespace mc::controller {

// How often a status is written that differs from the stored one only in numbers of pods: after a
// millisecond for each pod, and between half a second and 5 s, so that the start of 5,000 pods is
// not hundreds of writes, and that of 4 pods on a fast node is one. Every other difference is
// written at once. Thread safe.
class StatusPace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // How long to wait before `after` is written; zero: write it now. `pods`: of the Job.
  std::chrono::milliseconds wait(const std::string& key, const ClusterStatus& before,
                                 const ClusterStatus& after, std::int64_t pods, Time now) const;
  void written(const std::string& key, Time now);
  void forget(const std::string& key);  // the MiniCluster is gone or has ended

 private:
  Guarded<std::unordered_map<std::string, Time>> last_;
};

}  // namespace mc::controller
