#pragma once
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/controller/observed.h"

// What the pods of a MiniCluster's Job tell: why they do not run, and how the command ended.
namespace mc::controller {

// A pod with nothing but what is used here: metadata, phase, why it is not scheduled, and of each
// container whether it waits or has ended. Texts are cut; a running container has no state.
json reduce_pod(const json& pod);

// An event "FailedCreate" of a Job, as owned by that Job: quota or policy refuse its pods, and no
// other object says so.
json reduce_event(const json& event);

struct Trouble {
  std::string reason;   // CamelCase
  std::string message;  // names the pod, in the scheduler's or kubelet's words
};

// The one thing that a person has to know of pods that do not run; nothing where all is well or
// still on its way. The same whatever number of pods has it, so that a thousand pods make one
// message.
std::optional<Trouble> trouble(const std::vector<Snapshot>& pods);

// Why the Job controller could not make pods, by its events.
std::optional<Trouble> refused_pods(const std::vector<Snapshot>& events);

// How the command of a MiniCluster failed, by the container that runs Flux.
struct Failure {
  std::string pod;
  std::int64_t code = 0;
  std::string last_lines;  // of its log, as the kubelet gives them; may be empty

  std::string text() const;  // "7", or "7: last lines"
};

// Nothing while no pod tells of a failure of the command's own (not a reserved code, not a kill).
std::optional<Failure> command_failure(const std::vector<Snapshot>& pods,
                                       const std::string& runner);

// The pod of completion index 0 that is not being deleted and has not failed; null if there is
// none.
const json* lead_pod(const std::vector<Snapshot>& pods);

}  // namespace mc::controller
