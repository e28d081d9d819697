#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/controller/cache/observed.h"

// What the pods of a MiniCluster's Job tell of how far they are and why they do not run; how the
// command ended is in ends.h. Pure.
namespace mc::controller {

struct PodProblem {
  std::string reason;   // CamelCase
  std::string message;  // names the pod, in the scheduler's or kubelet's words
};

// The one thing that a person has to know of pods that do not run; nothing where all is well or
// still on its way. The same whatever number of pods has it, so that a thousand pods make one
// message. `mounts`: events that tell of volumes that cannot be had.
std::optional<PodProblem> pod_problem(const std::vector<Snapshot>& pods,
                                      const std::vector<Snapshot>& mounts);

// A container was killed for its memory, as a sentence that says what helps; nothing where none was
// of the pods that there are now. `also`: one that went on to end with 0, too.
std::optional<std::string> out_of_memory(const std::vector<Snapshot>& pods, bool also_ended_well);

// How often the Job had to try again because a container was killed for its memory: the most of all
// indexes.
std::int64_t oom_kills(const std::vector<Snapshot>& pods);

// Why the Job controller could not make pods, by its events; nothing if it could make one since.
std::optional<PodProblem> refused_pods(const std::vector<Snapshot>& events,
                                       const std::vector<Snapshot>& pods);

// What is ready by the pods themselves. The Job's own count is up to 10 s late when one has failed.
struct Readiness {
  std::int64_t pods = 0;
  bool lead = false;      // the pod of index 0
  bool has_lost = false;  // one of them has failed, and none has taken its place
};
Readiness readiness(const std::vector<Snapshot>& pods);

// The pod of completion index 0 that is not being deleted and has not failed; null if there is
// none.
const json* lead_pod(const std::vector<Snapshot>& pods);

}  // namespace mc::controller
