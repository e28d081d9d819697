#include "services/kubectl-minicluster/view/target.h"

#include "common/api/model/reasons.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

using Words = std::vector<std::string>;

std::string full_name(const json& minicluster) {
  return "minicluster/" + text_at(minicluster, {"metadata", "name"});
}

std::string phase_of(const json& minicluster) {
  const std::string phase = text_at(minicluster, {"status", "phase"});
  return phase.empty() ? "Pending" : phase;
}

bool has_ended(const json& minicluster) {
  const std::string phase = phase_of(minicluster);
  return phase == "Succeeded" || phase == "Failed";
}

std::unexpected<Error> says(const std::string& sentence) {
  return fail(ErrorKind::NotFound, one_line(sentence));
}

std::unexpected<Error> no_pod(const json& minicluster, std::int64_t rank) {
  const std::string name = full_name(minicluster), number = std::to_string(rank);
  const std::int64_t ranks = ranks_of(minicluster);
  if (rank < 0 || rank >= ranks) {
    return says(name + " has no rank " + number + ": its ranks are 0 to " +
                std::to_string(ranks - 1));
  }
  const std::string why = phase_and_why(minicluster);
  if (has_ended(minicluster)) {
    return says(name + " is " + why + ", and its pod of rank " + number + " was deleted");
  }
  const std::string phase = phase_of(minicluster);
  if (phase == api::kPhaseSuspended || phase == api::kPhaseQueued || phase == api::kPhaseWaiting) {
    return says(name + " has no pods: the MiniCluster is " + why);
  }
  return says(name + " has no pod of rank " + number + " yet: the MiniCluster is " + why);
}

// What the kubelet says about a container that does not run, else what the MiniCluster says.
std::string why_not_started(const json& minicluster, const json& status) {
  const json& waiting = at_path(status, {"state", "waiting"});
  const std::string reason = text_at(waiting, {"reason"}), message = text_at(waiting, {"message"});
  // The reason of every container while those of the init containers run.
  if (reason.empty() || reason == "PodInitializing") {
    return "the MiniCluster is " + phase_and_why(minicluster);
  }
  return message.empty() ? reason : reason + ": " + message;
}

struct RankContainer {
  Target target;
  const json& status;  // of the container
};

Result<RankContainer> found(const json& minicluster, const std::vector<json>& pods,
                            std::int64_t rank) {
  const json* const pod = pod_of_rank(pods, rank);
  if (pod == nullptr) return no_pod(minicluster, rank);
  const std::string container = flux_container(minicluster);
  return RankContainer{{text_at(*pod, {"metadata", "name"}), container},
                       container_status(*pod, container)};
}

std::unexpected<Error> not_started(const json& minicluster, const json& status, std::int64_t rank) {
  return says("rank " + std::to_string(rank) + " of " + full_name(minicluster) +
              " has not started: " + why_not_started(minicluster, status));
}

}  // namespace

std::string phase_and_why(const json& minicluster) {
  std::string phase = phase_of(minicluster);
  const std::string type = phase == "Succeeded" ? "Complete"
                           : phase == "Failed"  ? "Failed"
                                                : "Ready";
  for (const json& condition : items_at(minicluster, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) != type) continue;
    const std::string reason = text_at(condition, {"reason"});
    const std::string message = text_at(condition, {"message"});
    const std::string why = joined(reason == phase ? Words{message} : Words{reason, message}, ": ");
    return why.empty() ? phase : joined({phase, " (", why, ")"}, "");
  }
  return phase;
}

Result<Target> running_target(const json& minicluster, const std::vector<json>& pods,
                              std::int64_t rank) {
  auto there = found(minicluster, pods, rank);
  if (!there) return std::unexpected(there.error());
  const json& state = at_path(there->status, {"state"});
  if (state.contains("running")) return there->target;
  if (!state.contains("terminated")) return not_started(minicluster, there->status, rank);
  return says("rank " + std::to_string(rank) + " of " + full_name(minicluster) +
              " has ended with code " +
              std::to_string(integer_at(state, {"terminated", "exitCode"})) + ": " +
              full_name(minicluster) + " is " + phase_and_why(minicluster));
}

Result<Target> started_target(const json& minicluster, const std::vector<json>& pods,
                              std::int64_t rank) {
  auto there = found(minicluster, pods, rank);
  if (!there) return std::unexpected(there.error());
  const json& status = there->status;
  const bool has_log = has_started(status) || at_path(status, {"lastState"}).contains("terminated");
  if (!has_log) return not_started(minicluster, status, rank);
  return there->target;
}

}  // namespace mc::kubectl
