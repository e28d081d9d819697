#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/store.h"
#include "common/kube/watcher.h"
#include "services/controller/cache/gone_jobs.h"
#include "services/controller/cache/job_pods.h"
#include "services/controller/cache/observed.h"

namespace mc::controller {

// The controller's caches: MiniClusters, and the objects that they own and that have our label,
// reduced to the fields in use (reduce.h). No Secrets, which the controller may not read.
struct Caches {
  // `watched`: namespaces. Without: all.
  explicit Caches(const std::vector<std::string>& watched = {},
                  IndexLabels labels = IndexLabels::Lead);

  const IndexLabels index_labels;

  kube::StoreSet clusters, config_maps, services, pods, jobs;
  JobPods job_pods;  // the same pods, by Job
  GoneJobs gone_jobs;
  kube::StoreSet refusals;        // events "FailedCreate" of Jobs
  kube::StoreSet mount_failures;  // events "FailedMount" of pods
  kube::StoreSet workloads;       // Kueue's; empty unless watched (workloads.h)
  // What limits MiniClusters; empty unless watched: not with a list of namespaces.
  kube::Store setups, namespaces, priority_classes;

  // True on the first call for this uid within kBegunFor: its objects are created for the first
  // time. The status cannot say so: the MiniCluster may be deleted before its first status is
  // written.
  bool begins(const std::string& uid, std::chrono::steady_clock::time_point now);
  static constexpr std::chrono::seconds kBegunFor{2};

  // Stores the API server's answer to a write, so that the next reconcile does not repeat the write
  // while the watch is late.
  void learn(json object);

 private:
  // Null for a kind that is not cached.
  kube::StoreSet* of_kind(std::string_view kind);

  Guarded<std::map<std::string, std::chrono::steady_clock::time_point>> begun_;
};

struct Watch {
  kube::Store* store;
  kube::Scope scope;
};

// The watches, one for each kind and namespace, and the stores that they fill. Without the
// Workloads and what limits MiniClusters.
std::vector<Watch> watches(Caches& caches);

// The watches of what limits MiniClusters. The first is that of the FluxSetups, whose CRD may not
// be installed.
std::vector<Watch> limit_watches(Caches& caches);

// The key of the MiniCluster that the object is or belongs to; empty if there is none. An event
// about a pod that is not cached has no key; the pod has one when it arrives.
std::string cluster_key(const Caches& caches, const json& object);

// Nothing if there is no such MiniCluster.
std::optional<Observed> gather(const Caches& caches, const std::string& key);

}  // namespace mc::controller
