#pragma once
#include <deque>
#include <string>
#include <vector>

#include "common/kube/watcher.h"
#include "services/controller/cache/caches.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// The controller's real caches behind watches that are late: each kind by itself, in the order of
// its changes, sometimes the same twice, and now and then a whole list anew.
class LateWatches {
 public:
  // Takes over world.on_change. Both must outlive it.
  LateWatches(World& world, const std::string& key);

  // Some events of one kind.
  void deliver_some();
  void deliver_all();
  // One kind is listed anew, as after a watch that was cut for too long.
  void relist_one();

  // True where a pass would come by itself: something was told of this MiniCluster since.
  bool due = true;
  Caches caches;

 private:
  struct Feed {
    Watch watch;
    std::deque<kube::WatchEvent> pending;
  };

  static bool matches(const Feed& feed, const json& object);
  static kube::Object reduced(const Feed& feed, const json& object);
  void take_in(const json& before, const json& after);
  void apply(Feed& feed, const kube::WatchEvent& event);
  void deliver_one(Feed& feed);
  void relist(Feed& feed);

  World& world_;
  const std::string key_;
  std::vector<Feed> feeds_;
};

}  // namespace mc::controller::test
