#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "common/base/json.h"
#include "services/controller/cache/observed.h"

// How a MiniCluster ended, by the codes and last words of its containers (docs/pods.md, "Exit
// codes"), as the condition Complete or Failed that says so. Pure.
namespace mc::controller {

// The container that runs Flux.
struct Runner {
  std::string name;
  bool has_lead = true;  // false: the lead broker is in another cluster, and index 0 is a follower
};
Runner runner_of(const api::MiniCluster& cluster);

// A container ended with a code that is final: the command's, a snippet's, or its own where nobody
// says whose. Of several the one of the lowest index.
std::optional<api::Condition> failure(const std::vector<Snapshot>& pods, const Runner& runner);

// True where the Job's sentence on its failure policy names a pod whose end is not known yet: the
// watches of the two are not of one moment.
bool is_end_on_its_way(const std::string& job_message, const std::vector<Snapshot>& pods,
                       const Runner& runner);

// The same as failure() by that sentence, where the pod is gone.
std::optional<api::Condition> failure_in(const std::string& job_message, const json& job,
                                         const Runner& runner);

// The command has ended, and the lead that told its followers so was lost before its own end was
// known: evicted, killed, or failed for another of its containers. Nobody would end the MiniCluster
// then, as the next lead waits for followers that Kubernetes never starts again. Nothing while the
// lead that told them may still end by itself.
std::optional<api::Condition> end_of_a_lost_lead(const std::vector<Snapshot>& pods,
                                                 const Runner& runner);

// Killed for their memory so often that trying again is of no use.
std::optional<api::Condition> end_by_memory(const std::vector<Snapshot>& pods);

// True once the command has ended for good, or never will run: the pods are on their way out.
bool has_command_ended(const std::vector<Snapshot>& pods, const Runner& runner);

// What the Job keeps of an end for which it was told to give up; nothing where it was not.
std::string to_annotation(const api::Condition& end);
std::optional<api::Condition> kept_end(const json& job);

}  // namespace mc::controller
