#include "services/controller/interpret/lost_node.h"

#include <algorithm>

#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

// When it was told to end.
std::optional<TimePoint> told_to_end(const Pod& pod) {
  return pod.metadata.deletion ? std::optional<TimePoint>(*pod.metadata.deletion - pod.grace)
                               : std::nullopt;
}

// False for one that is not scheduled, which the API server deletes at once, and for one that the
// Job does not replace.
bool is_needed(const Pod& pod, const Job& job) {
  return pod.index < job.completions.value_or(0) && !pod.node.empty();
}

}  // namespace

bool may_still_run(const Observed& observed, const Job& job) {
  if (job.is_suspended) return false;
  const auto is_in_doubt = [](const Pod& pod) {
    return !has_failed(pod) && (is_deleted(pod.metadata) || pod.is_silent);
  };
  bool any = false, has_lead = false;
  for (const Shared<Pod>& pod : observed.pods) {
    any = any || (is_in_doubt(*pod) && is_needed(*pod, job));
    has_lead = has_lead || (pod->index == 0 && (is_in_doubt(*pod) || pod->is_ready));
  }
  return any && has_lead;
}

StuckPod stuck_pod(const Observed& observed, const Job& job, TimePoint now) {
  StuckPod out;
  if (job.is_suspended || is_deleted(job.metadata)) return out;
  for (const Pod* pod : in_order(observed.pods)) {
    const auto told = told_to_end(*pod);
    if (!is_needed(*pod, job) || (!told && !pod->is_silent)) continue;
    const auto due = told ? *told + kPatienceWithPods : now;
    if (due <= now) return {pod, kBetweenLooks};
    const auto left = std::chrono::ceil<std::chrono::seconds>(due - now);
    out.look_again = std::min(left, out.look_again.value_or(left));
  }
  return out;
}

std::optional<LostNode> lost_node(const Pod& pod, const Node* node, TimePoint now) {
  LostNode out{
      .pod = pod.metadata.name, .node = pod.node, .why = "", .is_ending = is_deleted(pod.metadata)};
  if (node == nullptr) {
    const auto& end = pod.metadata.deletion;
    const bool has_time = end && *end + kPatienceWithPods > now;
    return has_time ? std::nullopt : std::optional(out);
  }
  if (!node->not_ready) return std::nullopt;
  out.why = node->not_ready->reason + ": " + node->not_ready->message;
  return out;
}

PodProblem problem_of(const LostNode& lost) {
  const std::string state = lost.why.empty() ? " may be lost" : " is not ready (" + lost.why + ")";
  const std::string what =
      lost.is_ending ? " is terminating but still exists: its node " + lost.node + state +
                           ". Kubernetes replaces the pod once it has been deleted."
                     : " may still be running, but its node " + lost.node + state +
                           ". Kubernetes deletes the pod after 300 s, unless its tolerations say "
                           "otherwise. Kubernetes replaces the pod once it has been deleted.";
  return {api::kReasonNodeLost, "pod " + lost.pod + what +
                                    " If the machine is powered off and does not come back, an "
                                    "administrator can release the pod with: kubectl taint node " +
                                    lost.node +
                                    " node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"};
}

}  // namespace mc::controller
