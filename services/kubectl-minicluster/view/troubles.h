#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/get_table.h"

// Which pods fail or wait, and what Kubernetes says of them.
namespace mc::kubectl {

struct PodTrouble {
  std::string pod;
  std::size_t others = 0;  // pods of which the same is said
  // In the words of the kubelet, with exit codes.
  std::vector<std::string> words;
};

// The pods with something to say, the failing ones first, then by rank. Without those that have no
// node (placement.h).
std::vector<PodTrouble> troubles_of(const std::vector<json>& pods);

// When the event was seen last; the epoch if it does not say.
Time time_of(const json& event);

struct Warning {
  Time time;  // the last
  std::string object, reason, message;
  std::size_t others = 0;  // objects of this kind of which the same is said
  std::size_t times = 1;   // events
};

// The warnings among events that are about the MiniCluster, its Job and its pods, also those that
// are gone; in order of time. Those that say the same, but for the names of pods, are one.
std::vector<Warning> warnings_of(const std::vector<json>& events, const json& minicluster,
                                 const std::vector<json>& pods);

// The message without what is different for each pod of the Job: `lammps-1-abcde`, or in the
// kubelet's words `lammps-1-abcde_default(UID)`, becomes `lammps-...`.
std::string without_pod_names(std::string_view message, const std::string& job);

}  // namespace mc::kubectl
