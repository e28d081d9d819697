#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "services/controller/cluster/types.h"
#include "tests/support/kubectl.h"

namespace mc::test {

// A pod got a node (+1), or gave it back (-1): it ended, or is gone.
struct Placement {
  std::chrono::steady_clock::time_point time;
  std::string cluster;
  int change = 0;
};

// What a list of placements shows, in order of time.
struct Placed {
  // Of each MiniCluster that got as many pods as it needs, each time: from the first pod that got a
  // node to the last needed. Sorted.
  std::vector<std::chrono::duration<double>> spans;
  // The longest time that two MiniClusters had some pods on nodes, but fewer than they need.
  std::chrono::duration<double> longest_of_two_in_part{0};
  // MiniClusters that have some, but fewer than they need, at the end.
  std::vector<std::string> in_part;
};
Placed placed(const std::vector<Placement>& all, const std::map<std::string, int>& needed,
              std::chrono::steady_clock::time_point now);

// Records the placements of the pods of MiniClusters in a namespace by a watch, as long as it
// lives.
class Placements {
 public:
  explicit Placements(const Kubectl& kubectl);
  std::vector<Placement> all() const;

 private:
  struct PodOf {
    controller::Metadata metadata;
    std::string cluster;
    bool is_placed = false;  // it has a node and has not ended
  };

  std::unique_ptr<kube::Transport> transport_;
  SystemClock clock_;
  mutable std::mutex mutex_;
  std::vector<Placement> all_;
  kube::Store<PodOf> store_;
  std::jthread thread_;
};

}  // namespace mc::test
