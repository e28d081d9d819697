#pragma once
#include <chrono>
#include <optional>

#include "common/base/json.h"
#include "services/controller/cache/observed.h"
#include "services/controller/status/pod_problems.h"

// Pods that were told to end and do not, because the kubelet of their node does not answer: until
// they are gone, the Job makes no others (podReplacementPolicy Failed). Pure.
namespace mc::controller {

// A pod has this long to end before its node is asked for, and the node is asked for again that
// often.
inline constexpr std::chrono::seconds kPatienceWithPods{5};
inline constexpr std::chrono::seconds kBetweenLooks{30};

struct StuckPod {
  const json* pod = nullptr;  // null: none by now
  // When to look again; nothing if no pod is about to end.
  std::optional<std::chrono::seconds> look_again;
};

// The pod of the lowest index that the Job needs and that takes too long to end.
StuckPod stuck_pod(const Observed& observed, const json& job,
                   std::chrono::system_clock::time_point now);

// Whether a pod that the Job needs is about to end.
bool has_ending_pod(const Observed& observed, const json& job);

// Nothing if the node is ready. `node`: null if it may not be read; then a pod has its whole grace
// period.
std::optional<LostNode> lost_node(const json& pod, const json& node,
                                  std::chrono::system_clock::time_point now);

// With the remedy (kubernetes.io/docs/concepts/cluster-administration/node-shutdown).
PodProblem problem_of(const LostNode& lost);

}  // namespace mc::controller
