#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/kube/store.h"
#include "common/observe/metrics.h"
#include "services/controller/cluster/types.h"

namespace mc::controller {

// minicluster_objects_created_total{kind}: objects created for MiniClusters. Thread-safe.
class ObjectMetrics {
 public:
  explicit ObjectMetrics(observe::Registry& registry);

  void created(const std::string& kind);

 private:
  std::map<std::string, observe::Counter, std::less<>> by_kind_;  // constant after construction
};

// Metrics of all MiniClusters: how many are in each phase, why some are not ready, how many pods
// they want and have, and how long they took. All is read from their status, so `kubectl` shows the
// same words. Updated object by object: a scrape costs as much as there are namespaces, not
// MiniClusters. Only a leader reports them. Thread-safe.
class Fleet {
 public:
  // Observes the store from now on. Both must outlive this object, and it must outlive the
  // registry's last text() and the store's last change.
  Fleet(observe::Registry& registry, kube::StoreSet<MiniCluster>& clusters);
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // From now on, counts the time that each MiniCluster takes to become ready and to end, once.
  void lead();

 private:
  struct Seen {
    std::string ns, phase;
    std::string waits_for;               // reason why it is not ready; empty: it is, or has ended
    std::int64_t wanted = 0, ready = 0;  // pods
    bool is_ready = false, finished = false;
  };
  struct Sums {
    std::map<std::string, std::int64_t> phases;
    std::int64_t wanted = 0, ready = 0;
    std::int64_t clusters = 0;
  };
  // Sums by namespace, few enough to keep a scrape small.
  using Table = std::map<std::string, Sums>;

  void update(const MiniCluster* before, const MiniCluster* after);  // null if it does not exist
  static Seen seen_of(const MiniCluster& cluster);
  void add(const Seen& seen, std::int64_t sign);
  void count_times(const Seen& before, const Seen& after, const MiniCluster& cluster);
  Table table() const;
  std::vector<observe::Sample> clusters() const;
  std::vector<observe::Sample> pods(std::int64_t Sums::* count) const;
  std::vector<observe::Sample> not_ready() const;

  observe::Histogram time_to_ready_, time_to_complete_, time_to_failed_;
  std::atomic<bool> leads_ = false;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::set<std::string> were_ready_;  // uids of those that were Ready once
  Table sums_;
  std::map<std::string, std::int64_t> reasons_;
};

}  // namespace mc::controller
