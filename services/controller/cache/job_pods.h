#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/store.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/pod_tally.h"
#include "services/controller/cluster/types.h"
#include "services/controller/interpret/bindings.h"
#include "services/controller/interpret/pod_view.h"

namespace mc::controller {

// The pods of each Job, sorted into those that a reconcile must read and those of which it needs
// only the number, so that it costs the same with 10 pods and with 5,000. Counted is a follower
// that runs or starts without a problem and is the only pod of its index; every other pod is read.
// `job` and `owner` are an owner_id() (types.h). Thread safe.
class JobPods {
 public:
  // With IndexLabels::All a pod that lacks its label is read, too.
  explicit JobPods(IndexLabels labels = IndexLabels::Lead) : labels_(labels) {}

  // A pod was added, changed or removed. Changes of one pod come in order.
  void update(const kube::Change<Pod>& change);

  struct View {
    Pods read;  // by completion index, then by key
    CountedPods counted;
    std::int64_t bound = 0;  // of all pods: those that have a node
  };
  View of(const std::string& job) const;

  // The time that it took to bind the pods that the Job needs: once for each start (bindings.h).
  std::optional<std::chrono::seconds> take_time_to_bind(const std::string& job,
                                                        std::int64_t needed);
  // What pods said of jobs that had to be ended with them, since the last call: `pod NAME: jobs
  // that
  // ...`. The first kMostTold of them.
  std::vector<std::string> take_outlived(const std::string& job);
  static constexpr std::size_t kMostTold = 16;
  // This process leads from now on. The starts that are under way were another one's to tell, of
  // which this one does not know how much it has told.
  void lead(const std::string& ns = "");  // "": in all namespaces

  // The pods that hold resources, by what they request. `owner`: their Job, or the MiniCluster
  // whose services pod it is.
  std::vector<EqualPods> holding(const std::string& owner) const;
  // Of these, those that have a node. Takes time in proportion to the owner's pods.
  std::vector<EqualPods> holding_nodes(const std::string& owner) const;

  // The number of completion indexes with a pod.
  std::size_t size(const std::string& job) const;

  // The counted pods for which an event "FailedMount" may still hold (pod_view.h,
  // is_being_prepared).
  Pods being_prepared(const std::string& job) const;

 private:
  // What decides whether it is read.
  struct Entry {
    Shared<Pod> pod;
    bool is_well = false;
    PodTally::Place held = nullptr;
  };
  using Entries = std::map<std::string, Entry>;  // by key
  struct Job {
    Entries pods;
    PodTally tally;
    Bindings bindings;
    std::vector<std::string> outlived;
    std::map<std::int64_t, std::vector<Entries::const_pointer>> by_index;  // then by key
    std::set<std::int64_t> read, prepared;                // indexes; prepared: of counted pods
    std::int64_t ready = 0;                               // of the counted pods
    std::map<std::optional<Time>, std::int64_t> created;  // number of counted pods, by their time
  };
  using Jobs = std::unordered_map<std::string, Job>;  // by owner_id()

  void add(Jobs& jobs, const std::string& key, const Shared<Pod>& pod) const;
  static void remove(Jobs& jobs, const std::string& key, const Pod& pod);
  static void hear(Jobs& jobs, const kube::Change<Pod>& change);
  static void settle(Jobs& jobs, const std::string& owner);
  static bool is_only_counted(const std::vector<Entries::const_pointer>& pods);
  static void count(Job& job, std::int64_t index);
  static void uncount(Job& job, std::int64_t index);

  const IndexLabels labels_;
  Guarded<Jobs> jobs_;
};

}  // namespace mc::controller
