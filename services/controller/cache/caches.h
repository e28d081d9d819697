#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/store_set.h"
#include "common/kube/watcher.h"
#include "services/controller/cache/observed.h"

namespace mc::controller {

// What the controller keeps of the cluster's state: MiniClusters, and of what they own only what is
// labelled as ours, reduced to what is used. Secrets are not among it: it may not read them.
struct Caches {
  // No namespaces: all there are.
  explicit Caches(const std::vector<std::string>& namespaces = {});

  kube::StoreSet clusters, config_maps, services, pods, jobs;
  kube::StoreSet refusals;        // events "FailedCreate" of Jobs
  kube::StoreSet mount_failures;  // events "FailedMount" of pods
  kube::StoreSet workloads;       // Kueue's; empty where they are not read (workload_watch.h)

  // All but the Workloads, which need not be there.
  bool synced() const;
  // Null for a kind that is not kept.
  kube::StoreSet* of_kind(std::string_view kind);

  // True where this was not asked of that uid in the last kBegunFor: objects are made for it for
  // the first time. Its status cannot tell where it went before it had one.
  bool begins(const std::string& uid, std::chrono::steady_clock::time_point now);
  static constexpr std::chrono::seconds kBegunFor{2};

  // Takes in what the API server answered to a write, so that the next pass does not repeat it
  // because the watch is late.
  void learn(json object);

 private:
  Guarded<std::map<std::string, std::chrono::steady_clock::time_point>> begun_;
};

struct Watch {
  kube::Store* store;
  kube::Scope scope;
};

// What to watch, each kind in each namespace by itself, and where it is kept; without the
// Workloads.
std::vector<Watch> watches(Caches& caches);

// The key of the MiniCluster that an object is, or belongs to; empty if neither. An event about a
// pod that is not known yet belongs to nobody: the pod, once it is, does.
std::string cluster_key(const Caches& caches, const json& object);

// Nothing if there is no such MiniCluster.
std::optional<Observed> gather(const Caches& caches, const std::string& key);

}  // namespace mc::controller
