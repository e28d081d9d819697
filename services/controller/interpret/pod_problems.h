#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/api/model/reasons.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/types.h"
#include "services/controller/interpret/pod_view.h"

// How far the pods of a MiniCluster's Job are and why they do not run; how the command ended is in
// ends.h. Pure.
namespace mc::controller {

struct PodProblem {
  api::KnownReason reason;
  std::string message;  // names the pod, in the scheduler's or kubelet's words
};

// The most important problem of the pods; nothing if all are well or still starting. The same for
// any number of pods, so that a thousand pods give one message. `mounts`: events about volumes that
// cannot be mounted.
std::optional<PodProblem> pod_problem(const Pods& pods, const std::vector<Shared<Event>>& mounts);

// A sentence on a container of the current pods that was OOMKilled, and what helps; nothing if
// there is none. `also_ended_well`: includes one that ended with 0.
std::optional<std::string> out_of_memory(const Pods& pods, bool also_ended_well);
std::optional<std::string> out_of_memory(const Pod& pod, bool also_ended_well);

// Number of retries because a container was OOMKilled: the maximum of all indexes.
std::int64_t oom_kills(const Pods& pods);

// Whether some pods have a node (`bound`), others wait for one, and fewer than the `needed` have
// it: they hold what another MiniCluster may wait for, without use.
bool is_in_part(const Pods& pods, std::int64_t bound, std::int64_t needed);

// Why the Job controller could not create pods, by its events; nothing if it has created one since.
std::optional<PodProblem> refused_pods(const std::vector<Shared<Event>>& events, const Pods& pods,
                                       const CountedPods& counted);

// Readiness by the pods themselves. The Job's own count is up to 10 s late after a pod has failed.
struct Readiness {
  std::int64_t pods = 0;
  bool lead = false;      // the pod of index 0
  bool has_lost = false;  // a pod has failed and has no replacement yet
};
Readiness readiness(const Pods& pods, const CountedPods& counted);

// The pod of completion index 0 that is not being deleted and has not failed; null if there is
// none.
const Pod* lead_pod(const Pods& pods);

}  // namespace mc::controller
