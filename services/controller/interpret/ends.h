#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "services/controller/cluster/types.h"
#include "services/controller/interpret/pod_view.h"

// How a MiniCluster ended, by the exit codes and last words of its containers (docs/pods.md, "Exit
// codes"), as the condition Complete or Failed. Pure.
namespace mc::controller {

// The condition Failed with this reason and message.
api::Condition failed_with(api::KnownReason reason, std::string message);
// The same with the reason of the Job, if it has one.
api::Condition failed_as(std::string reason_of_job, std::string message);
// The same if the command has failed with this code.
api::Condition failed_with_code(std::int64_t code, std::string message);
// The condition Complete.
api::Condition succeeded(std::string message);

// The container that runs Flux.
struct Runner {
  std::string name;
  bool has_lead = true;  // false: the lead broker is in another cluster, and index 0 is a follower
};
Runner runner_of(const api::MiniCluster& cluster);

// Failed, if a container that runs Flux ended with a final code: the command's, a snippet's, or its
// own if the log does not say whose. Of several, the one of the lowest index.
std::optional<api::Condition> failure(const Pods& pods, const Runner& runner);

// True if the Job's message on its failure policy names a pod whose end is not cached yet: Jobs and
// pods have separate watches.
bool is_end_on_its_way(const std::string& job_message, const Pods& pods, const Runner& runner);

// As failure(), but by the Job's message, if the pod is gone.
std::optional<api::Condition> failure_in(const std::string& job_message,
                                         const std::string& job_name, const Runner& runner);

// The end of a command whose lead informed its followers and was then lost before its own end was
// known: evicted, killed, or failed because of another container. Otherwise the MiniCluster would
// never end: the next lead waits for followers that Kubernetes does not start again. Nothing while
// that lead may still end by itself.
std::optional<api::Condition> end_of_a_lost_lead(const Pods& pods, const Runner& runner);

// For this long after the end of its container that runs Flux, a pod may go on in another
// container.
inline constexpr std::chrono::seconds kGraceOfOthers{30};

// An end that another container keeps from the Job (pod_view.h, held_by).
struct HeldEnd {
  std::optional<Time> since;  // the end of the container that runs Flux
  api::Condition end;
};
std::optional<HeldEnd> held_end(const Pods& pods, const Runner& runner);

// The sentence about an MPI program whose tasks did not find each other, with a space before it,
// although the command ended with 0; "" if nothing is known of one.
std::string singletons(const Pods& pods, const Runner& runner);

// Failed, if containers were OOMKilled so often that another try is of no use.
std::optional<api::Condition> end_by_memory(const Pods& pods);

// True once the command has ended with a final code or can never run: the pods are about to end.
bool has_command_ended(const Pods& pods, const Runner& runner);

// The snippet that ended a container that runs Flux before the command was run: `pre`; "" if none
// did.
std::string snippet_that_ended(const Pods& pods, const Runner& runner);

// The end for which the Job was made to give up; nothing if it was not.
std::optional<api::Condition> kept_end(const Job& job);

}  // namespace mc::controller
