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

bool has_ending_pod(const Observed& observed, const json& job) {
  return !is_suspended(job) && std::ranges::any_of(observed.pods, [&](const Snapshot& pod) {
    return is_deleted(*pod) && !has_failed(*pod) && is_needed(*pod, job);
  });
}

StuckPod stuck_pod(const Observed& observed, const json& job, TimePoint now) {
  StuckPod out;
  if (is_suspended(job) || is_deleted(job)) return out;
  for (const json* pod : in_order(observed.pods)) {
    const auto told = told_to_end(*pod);
    if (!told || !is_needed(*pod, job)) continue;
    const auto due = *told + kPatienceWithPods;
    if (due <= now) return {pod, kBetweenLooks};
    const auto left = std::chrono::ceil<std::chrono::seconds>(due - now);
    out.look_again = std::min(left, out.look_again.value_or(left));
  }
  return out;
}

std::optional<LostNode> lost_node(const json& pod, const json& node, TimePoint now) {
  LostNode out{text_at(pod, {"metadata", "name"}), text_at(pod, {"spec", "nodeName"}), ""};
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
  return {"NodeLost",
          "pod " + lost.pod + " was told to end and is still there: its node " + lost.node + state +
              ". Another pod takes its place once it is gone. If the node does not come back, an "
              "administrator frees it with: kubectl taint node " +
              lost.node + " node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"};
}

}  // namespace mc::controller
