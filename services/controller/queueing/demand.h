#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/api/model/quantity.h"
#include "services/controller/cluster/pod_tally.h"
#include "services/controller/cluster/types.h"

// How much of each resource a MiniCluster needs and uses, to compare with the limits of a
// FluxSetup. Pure.
//
// Not counted is what admission adds to pods and not to templates, until the pods exist: the
// overhead of a RuntimeClass and the defaults of a LimitRange.
namespace mc::controller::queueing {

// Names of amounts beside the resources of pods. A resource of this name in a pod is ignored.
inline constexpr std::string_view kPodCount = "pods";
inline constexpr std::string_view kMiniClusterCount = "miniclusters";

// What a MiniCluster takes once its Job may create pods: the requests of all pods of the Job
// (spec.parallelism) and what the services pod requests, which is null if the spec wants none. The
// result also has kPodCount, and 1 of kMiniClusterCount.
api::Amounts demand_of(const Job& job, const api::Amounts* services_pod);

// What so many more pods of the Job take.
api::Amounts demand_of_pods(const Job& job, std::int64_t count);

// What a MiniCluster takes now, and while it goes on as it is; empty if nothing.
//  - Each of `pods`, those of its Job and its services pod, takes what it requests until it has
//    ended or is gone: also while it is being deleted, and after its Job.
//  - Further pods of the Job take what its template requests: those that its status counts (active
//    and terminating), and those that it may still create (up to spec.parallelism, unless it is
//    suspended or ends). `job` is null if there is no Job.
//  - While the Job may create pods, the services pod counts also before it exists. `services_pod`
//    is what the one that the spec wants requests, or null.
// With kPodCount, and 1 of kMiniClusterCount.
api::Amounts usage_of(const Job* job, const std::vector<PodGroup>& pods,
                      const api::Amounts* services_pod);

}  // namespace mc::controller::queueing
