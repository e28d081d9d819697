#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/quantity.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/pod_tally.h"
#include "services/controller/queueing/run_history.h"

// What a MiniCluster uses of the limits of a FluxSetup, and what it asks for. Pure.
//
// Not counted is what the API server adds to pods and not to templates, until the pods exist: the
// overhead of a RuntimeClass and the defaults of a LimitRange.
namespace mc::controller::queueing {

// Names of amounts beside the resources of pods. A resource of this name in a pod is ignored.
inline constexpr std::string_view kPodCount = "pods";
inline constexpr std::string_view kMiniClusterCount = "miniclusters";

// The pods of a MiniCluster that hold resources: each until it has ended or is gone, also while it
// is being deleted.
struct HeldPods {
  std::vector<EqualPods> job, services;
  // Of deleted Jobs, and of deleted MiniClusters of the same name.
  std::vector<EqualPods> earlier;
};

// What a MiniCluster takes once its Job may create pods: the requests of all pods of the Job
// (spec.parallelism) and what the services pod requests, which is null if the spec wants none. The
// result also has kPodCount, and 1 of kMiniClusterCount.
api::Amounts demand_of(const Job& job, const api::Amounts* services_pod);

// What so many more pods of the Job take.
api::Amounts demand_of_pods(const Job& job, std::int64_t count);

// What a MiniCluster takes now, and while it goes on as it is; empty if nothing.
//  - Each of `pods` takes what it requests.
//  - Further pods of the Job take what its template requests: those that its status counts (active
//    and terminating), and those that it may still create (up to spec.parallelism, unless it is
//    suspended or ends). `job` is null if there is no Job.
//  - While the Job may create pods, the services pod counts also before it exists. `services_pod`
//    is what the one that the spec wants requests, or null.
// With kPodCount, and 1 of kMiniClusterCount.
api::Amounts usage_of(const Job* job, const HeldPods& pods, const api::Amounts* services_pod);

// What a MiniCluster asks for.
struct Request {
  api::Amounts amounts;   // beside what it uses
  std::int64_t size = 0;  // pods that its Job then has; 0: it asks for nothing

  bool is_made() const { return size > 0; }
};

struct Workload {
  api::Amounts used;
  std::optional<Time> end;      // when it uses nothing any more, at the latest
  std::optional<Time> started;  // while its Job runs
  std::optional<Run> ended;     // once it has

  std::string job;        // the uid of its Job; "" without one
  bool runs = false;      // the Job is not suspended
  bool waits = false;     // the Job is suspended because of the limits (kWaitsForQuota)
  std::int64_t size = 0;  // pods of the Job: spec.parallelism
  api::Amounts pod;       // what each of them takes

  api::Amounts held_back;  // while it waits: what it takes once it runs

  // At most one of the two: to start, while the Job waits; to grow to spec.size, while it runs.
  Request start, growth;
  bool is_preemptible = false;  // it may be suspended for others now
  bool was_preempted = false;   // it waits because it was
  // For its place in the queue.
  std::string uid, priority_class;
  // Of its label api::kAccountLabel; nothing: there is no such MiniCluster.
  std::optional<std::string> account;
  Time created;
  std::optional<std::chrono::seconds> longest;  // how long it runs at most
};

// The groups of pods that hold resources, by the uid of their owner: a Job, or the MiniCluster
// whose services pod it is.
using PodsByOwner = std::map<std::string, std::vector<EqualPods>>;

// `observed` is null if there is no such MiniCluster. `of_gone`: the Job of a MiniCluster of its
// name that is gone, or null: until Kubernetes deletes that Job, it may create pods. `pods`: all
// that were made for it, also for Jobs and MiniClusters of its name that are gone.
Workload workload_of(const Observed* observed, const Job* of_gone, const PodsByOwner& pods,
                     Time now);

}  // namespace mc::controller::queueing
