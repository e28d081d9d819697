#pragma once
#include <chrono>
#include <optional>

#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/types.h"
#include "services/controller/interpret/pod_problems.h"

// Pods whose node does not answer: they may still run. Once they are told to end, they do not, and
// until they are gone, the Job makes no others (podReplacementPolicy Failed). Pure.
namespace mc::controller {

// A pod that was told to end has this long before its node is asked for, and the node is asked for
// again that often.
inline constexpr std::chrono::seconds kPatienceWithPods{5};
inline constexpr std::chrono::seconds kBetweenLooks{30};

struct StuckPod {
  const Pod* pod = nullptr;  // null: none by now
  // When to look again; nothing if no pod is about to end or silent.
  std::optional<std::chrono::seconds> look_again;
};

// The pod of the lowest index that the Job needs and that is silent or takes too long to end.
StuckPod stuck_pod(const Observed& observed, const Job& job, TimePoint now);

// Whether the command may still run, although a pod that the Job needs is about to end or is
// silent: its lead has not ended.
bool may_still_run(const Observed& observed, const Job& job);

// Nothing if the node is ready. `node`: null if it may not be read; then a pod has its whole grace
// period to end.
std::optional<LostNode> lost_node(const Pod& pod, const Node* node, TimePoint now);

// With the remedy (kubernetes.io/docs/concepts/cluster-administration/node-shutdown).
PodProblem problem_of(const LostNode& lost);

}  // namespace mc::controller
