#include "services/controller/status/lost_node.h"

#include <algorithm>

#include "common/api/model/conditions.h"
#include "common/base/rfc3339.h"
#include "services/controller/cache/pod_view.h"

namespace mc::controller {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

// When it was told to end; deletionTimestamp is the end of its grace period.
std::optional<TimePoint> told_to_end(const json& pod) {
  const auto end = parse_rfc3339(text_at(pod, {"metadata", "deletionTimestamp"}));
  if (!end) return std::nullopt;
  return *end - std::chrono::seconds(integer_at(pod, {"metadata", "deletionGracePeriodSeconds"}));
}

// False for one that is not scheduled, which the API server deletes at once, and for one that the
// Job does not replace.
bool is_needed(const json& pod, const json& job) {
  return index_of(pod) < integer_at(job, {"spec", "completions"}) &&
         !text_at(pod, {"spec", "nodeName"}).empty();
}

}  // namespace

bool may_still_run(const Observed& observed, const json& job) {
  if (is_suspended(job)) return false;
  const auto is_in_doubt = [](const json& pod) {
    return !has_failed(pod) && (is_deleted(pod) || is_silent(pod));
  };
  bool any = false, has_lead = false;
  for (const Snapshot& pod : observed.pods) {
    any = any || (is_in_doubt(*pod) && is_needed(*pod, job));
    has_lead = has_lead || (index_of(*pod) == 0 && (is_in_doubt(*pod) || is_ready(*pod)));
  }
  return any && has_lead;
}

StuckPod stuck_pod(const Observed& observed, const json& job, TimePoint now) {
  StuckPod out;
  if (is_suspended(job) || is_deleted(job)) return out;
  for (const json* pod : in_order(observed.pods)) {
    const auto told = told_to_end(*pod);
    if (!is_needed(*pod, job)) continue;
    if (!told && is_silent(*pod)) return {pod, kBetweenLooks};
    if (!told) continue;
    const auto due = *told + kPatienceWithPods;
    if (due <= now) return {pod, kBetweenLooks};
    const auto left = std::chrono::ceil<std::chrono::seconds>(due - now);
    out.look_again = std::min(left, out.look_again.value_or(left));
  }
  return out;
}

std::optional<LostNode> lost_node(const json& pod, const json& node, TimePoint now) {
  LostNode out{.pod = text_at(pod, {"metadata", "name"}),
               .node = text_at(pod, {"spec", "nodeName"}),
               .why = "",
               .is_ending = is_deleted(pod)};
  if (node.is_null() && !out.is_ending) return out;
  if (node.is_null()) {
    const auto end = parse_rfc3339(text_at(pod, {"metadata", "deletionTimestamp"}));
    return end && *end + kPatienceWithPods <= now ? std::optional(out) : std::nullopt;
  }
  const json* ready = api::condition_of(node, "Ready");
  if (ready == nullptr || text_at(*ready, {"status"}) == "True") return std::nullopt;
  out.why = text_at(*ready, {"reason"}) + ": " + text_at(*ready, {"message"});
  return out;
}

PodProblem problem_of(const LostNode& lost) {
  const std::string state = lost.why.empty() ? " may be lost" : " is not ready (" + lost.why + ")";
  const std::string what =
      lost.is_ending
          ? " was told to end and is still there: its node " + lost.node + state +
                ". Another pod takes its place once it is gone."
          : " may still run, but its node " + lost.node + state +
                ". Kubernetes deletes the pod after 300 s, unless its tolerations say otherwise, "
                "and another pod takes its place once it is gone.";
  return {"NodeLost",
          "pod " + lost.pod + what +
              " If the node does not come back, an administrator frees it with: kubectl taint "
              "node " +
              lost.node + " node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"};
}

}  // namespace mc::controller
