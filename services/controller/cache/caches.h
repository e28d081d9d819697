#pragma once
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/store.h"
#include "services/controller/cache/bound_in_part.h"
#include "services/controller/cache/gone_jobs.h"
#include "services/controller/cache/job_pods.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/types.h"

namespace mc::controller {

// The controller's caches: MiniClusters, and the objects that they own and that have our label,
// with the fields in use (cluster/types.h). No Secrets, which the controller may not
// read.
struct Caches {
  // `watched`: namespaces. Without: all.
  explicit Caches(const std::vector<std::string>& watched = {},
                  IndexLabels labels = IndexLabels::Lead,
                  const std::vector<api::GangKind>& gang_kinds = {});

  const IndexLabels index_labels;

  kube::StoreSet<MiniCluster> clusters;
  kube::StoreSet<Job> jobs;
  kube::StoreSet<ConfigMap> config_maps;
  kube::StoreSet<Service> services;
  kube::StoreSet<PodDisruptionBudget> pod_disruption_budgets;
  // Of each kind of --gang-kinds (watches.h).
  std::map<api::GangKind, kube::StoreSet<PodGroup>> pod_groups;
  kube::StoreSet<Pod> pods;
  JobPods job_pods;  // the same pods, by Job
  GoneJobs gone_jobs;
  BoundInPart bound_in_part;             // kept by the reconciles
  kube::StoreSet<Event> refusals;        // "FailedCreate" of Jobs
  kube::StoreSet<Event> mount_failures;  // "FailedMount" of pods
  kube::StoreSet<Workload> workloads;    // Kueue's; empty unless watched (watches.h)
  // What limits MiniClusters; empty unless watched: not with a list of namespaces.
  kube::Store<FluxSetup> setups;
  kube::Store<Namespace> namespaces;
  kube::Store<PriorityClass> priority_classes;

  // What may be used for gang scheduling now, in this namespace.
  GangOffer gang(const std::string& ns) const;
  void set_gang_by_default(bool on) { gang_by_default_ = on; }
  // `ns`: as it is watched; "" for all namespaces.
  void set_pod_groups(const std::string& ns, api::GangKind kind, const PodGroupOffer& offer);
  std::vector<Shared<PodGroup>> pod_groups_of(const Metadata& cluster) const;

  // True on the first call for this uid within kBegunFor: its objects are created for the first
  // time. The status cannot say so: the MiniCluster may be deleted before its first status is
  // written.
  bool begins(const std::string& uid, std::chrono::steady_clock::time_point now);
  static constexpr std::chrono::seconds kBegunFor{2};

  // Stores the API server's answer to a write, so that the next reconcile does not repeat the write
  // while the watch is late.
  void learn(json object);

 private:
  void learn_pod_group(const kube::Object& answer);

  using PodGroupOffers = std::map<api::GangKind, PodGroupOffer>;
  std::atomic<bool> gang_by_default_ = false;
  Guarded<std::map<std::string, PodGroupOffers>> pod_group_offers_;  // by namespace
  Guarded<std::map<std::string, std::chrono::steady_clock::time_point>> begun_;
};

// The key of the MiniCluster that the object is or belongs to; empty if there is none. An event
// about a pod that is not cached has no key; the pod has one when it arrives.
std::string cluster_key(const Caches& caches, const MiniCluster& cluster);
std::string cluster_key(const Caches& caches, const Job& job);
std::string cluster_key(const Caches& caches, const ConfigMap& config_map);
std::string cluster_key(const Caches& caches, const Service& service);
std::string cluster_key(const Caches& caches, const PodDisruptionBudget& budget);
std::string cluster_key(const Caches& caches, const PodGroup& group);
std::string cluster_key(const Caches& caches, const Pod& pod);
std::string cluster_key(const Caches& caches, const Event& event);
std::string cluster_key(const Caches& caches, const Workload& workload);

// The keys of the MiniClusters that a change concerns: two if the object moved from one to another.
template <class T>
std::vector<std::string> cluster_keys(const Caches& caches, const kube::Change<T>& change) {
  const auto key = [&](const kube::Stored<T>& stored) {
    return stored ? cluster_key(caches, *stored.object()) : std::string();
  };
  const std::string after = key(change.after);
  const std::string before = key(change.before);
  std::vector<std::string> out;
  if (!after.empty()) out.push_back(after);
  if (!before.empty() && before != after) out.push_back(before);
  return out;
}

}  // namespace mc::controller
