#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "common/kube/watcher.h"
#include "services/controller/cache/caches.h"
#include "services/controller/cache/watches.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// As a watch that tells of a new or changed object.
void put(kube::WatchedStore& store, json object);

// The controller's real caches behind the watches of one namespace, which lag. Each kind lags
// separately, in the order of its changes, with occasional duplicates and relists.
class LateWatches {
 public:
  // Listens to world.on_change. `caches` are of all namespaces, or of this world's, too. All
  // arguments must outlive it.
  LateWatches(World& world, const std::string& key, Caches& caches);

  // Delivers some events of one kind.
  void deliver_some();
  void deliver_all();
  // Relists one kind, as after a watch that was disconnected for too long.
  void relist_one();
  void relist(std::string_view kind);

  // True if an event has requested a reconcile of this MiniCluster.
  bool due = true;
  // What concerns the limits has changed. `owner`: of the pod that changed.
  std::function<void(const std::string& owner)> on_change = [](auto&) {};

 private:
  struct Feed {
    StoreWatch watch;
    std::deque<kube::WatchEvent> pending;
  };

  static bool matches(const Feed& feed, const json& object);
  static kube::Object sent(const Feed& feed, const json& object);
  bool is_here(const std::string& ns) const { return ns.empty() || ns == world_.ns(); }
  template <class T>
  void follow(kube::StoreSet<T>& objects);
  void tell(const MiniCluster& cluster) const;
  void tell(const Job& job) const;
  void tell(const Pod& pod) const;
  template <class T>
  void tell(const T& object) const;
  void take_in(const json& before, const json& after);
  void deliver_one(Feed& feed);
  void relist(Feed& feed);

  World& world_;
  const std::string key_;
  Caches& caches_;
  std::vector<Feed> feeds_;
};

}  // namespace mc::controller::test
