#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "common/base/clock.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "services/controller/cluster/types.h"
#include "tests/integration/gang_story.h"

namespace mc::test {

// Watches the pods and the PodGroups of a namespace as long as it lives: whether the pods that have
// not ended name a group, and one that is there.
class PodsAndGroups {
 public:
  struct Seen {
    int pods = 0;
    std::set<std::string> in_no_group;  // pods that name none
    // The longest time that a pod has named a group that was not there, and which one. A group that
    // is seen later than a pod but is older was there: the API server serves custom resources some
    // seconds after pods.
    std::chrono::duration<double> longest_missing{0};
    std::string missed_by;
  };

  PodsAndGroups(const Kubectl& kubectl, const GangKind& kind);
  // Ends the watches first: they use the rest.
  ~PodsAndGroups();
  PodsAndGroups(const PodsAndGroups&) = delete;
  PodsAndGroups& operator=(const PodsAndGroups&) = delete;

  Seen seen();

  // How many groups have appeared, and whether that is more than `before` within `limit`.
  int groups_so_far() const;
  [[nodiscard]] bool another_group(int before, std::chrono::milliseconds limit) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Object {
    controller::Metadata metadata;
    std::string group;      // of a pod
    bool has_ended = true;  // a pod
  };
  // One watch.
  struct Watch {
    Watch(const Kubectl& kubectl, const kube::Resource& of, std::function<Object(const json&)> read,
          kube::Store<Object>::Observer listener);

    kube::Resource resource;
    std::unique_ptr<kube::Transport> transport;
    SystemClock clock;
    kube::Store<Object> store;
    std::jthread thread;
  };

  void take_pod(const kube::Change<Object>& change);
  void take_group(const kube::Change<Object>& change);
  // With the lock.
  [[nodiscard]] bool is_there(const std::string& group) const { return groups_.contains(group); }
  void look();  // compares
  void count(const std::string& pod, Clock::time_point since);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Object> running_;  // the pods that have not ended
  std::map<std::string, controller::Metadata> groups_;
  std::map<std::string, Clock::time_point> missing_since_;  // pods
  int groups_so_far_ = 0;
  Seen seen_;
  std::unique_ptr<Watch> pods_, pod_groups_;
};

}  // namespace mc::test
