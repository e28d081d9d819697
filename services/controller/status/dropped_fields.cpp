#include "services/controller/status/dropped_fields.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

namespace mc::controller {
namespace {

struct Known {
  const char* path;
  const char* consequence;
  const char* gate;
};

// Fields behind a feature gate in a version of Kubernetes that is still in use.
constexpr const char* kNotInPlace =
    "a command that lost a follower is run again in another pod, not in the same one";
constexpr const char* kInPlaceGate = "RestartAllContainersOnContainerExits";
constexpr Known kKnown[] = {
    {"spec.podFailurePolicy", "a command that fails is run again, within backoffLimit",
     "JobPodFailurePolicy"},
    {"spec.successPolicy", "the Job ends only when every pod has ended, not when the lead succeeds",
     "JobSuccessPolicy"},
    {"spec.template.spec.containers.restartPolicy", kNotInPlace, kInPlaceGate},
    {"spec.template.spec.containers.restartPolicyRules", kNotInPlace, kInPlaceGate},
    {"spec.template.spec.initContainers.restartPolicy",
     "the start of a pod waits for the end of each container that does not run Flux and keeps its "
     "own entrypoint",
     "SidecarContainers"},
};

// The policies that the Job should have and has not. The counterpart of render/job.cpp.
std::set<std::string> needed_policies_without(const Job& job, const api::MiniCluster& cluster) {
  std::set<std::string> out;
  if (!job.restarts_on_failure && !job.has_pod_failure_policy) out.insert("spec.podFailurePolicy");
  // A Job of one pod, the lead, ends with it.
  const bool has_followers = job.completions.value_or(0) > 1;
  if (!cluster.spec.flux.bursting.lead_broker && has_followers && !job.has_success_policy) {
    out.insert("spec.successPolicy");
  }
  return out;
}

}  // namespace

DroppedField dropped_field(const std::string& path) {
  for (const Known& known : kKnown) {
    if (path != known.path) continue;
    return {path, known.consequence,
            std::string("ask an administrator to enable the feature gate ") + known.gate};
  }
  return {path, "the field has no effect",
          "this version of Kubernetes does not have it, its feature gate is off, or an admission "
          "webhook or policy removes it"};
}

std::vector<DroppedField> dropped_from(const Job& job, const api::MiniCluster& cluster) {
  std::set<std::string> paths = needed_policies_without(job, cluster);
  for (const auto part : std::views::split(job.notes.dropped.str(), ',')) {
    if (!part.empty()) paths.emplace(part.begin(), part.end());
  }
  std::vector<DroppedField> out;
  std::ranges::transform(paths, std::back_inserter(out), dropped_field);
  return out;
}

}  // namespace mc::controller
