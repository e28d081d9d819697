#include "services/kubectl-minicluster/view/progress.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/api/model/conditions.h"
#include "services/kubectl-minicluster/view/exit_code.h"
#include "services/kubectl-minicluster/view/pods.h"
#include "services/kubectl-minicluster/view/table.h"

namespace mc::kubectl {
namespace {

constexpr std::size_t kLongestName = 24, kShortestBar = 10;

const json* false_condition(const json& minicluster, std::string_view type) {
  const json* const found = api::condition_of(minicluster, type);
  return found != nullptr && text_at(*found, {"status"}) == "False" ? found : nullptr;
}

bool is_true(const json& minicluster, std::string_view type) {
  return api::true_condition_of(minicluster, type) != nullptr;
}

// Ready has the same reason as the others if these are why, so it is asked last.
std::string blocked_by(const json& minicluster) {
  for (const std::string_view type : {api::kAccepted, api::kObjectsReady, api::kQuotaReserved}) {
    const json* const found = false_condition(minicluster, type);
    if (found == nullptr) continue;
    const std::string reason = text_at(*found, {"reason"});
    if (reason == api::kReasonNotAccepted || reason == api::kReasonSuspended) continue;
    return in_a_line(*found);
  }
  const json* const ready = false_condition(minicluster, api::kReady);
  if (ready == nullptr) return "";
  const std::string reason = text_at(*ready, {"reason"});
  const bool goes_on = reason == api::kReasonStarting || reason == api::kReasonFinished;
  return goes_on ? "" : in_a_line(*ready);
}

// The pods are about to end.
bool is_finishing(const json& minicluster) {
  const json* const ready = false_condition(minicluster, api::kReady);
  return ready != nullptr && text_at(*ready, {"reason"}) == api::kReasonFinished;
}

bool is_going(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return !text_at(pod, {"metadata", "deletionTimestamp"}).empty() || phase == "Failed";
}

// The kubelet knows the image's id once it is on the node.
bool is_pulled(const json& status) {
  return has_started(status) || !text_at(status, {"imageID"}).empty();
}

void count_pod(const json& pod, const std::string& container, Progress& out) {
  const json& conditions = at_path(pod, {"status", "conditions"});
  const bool is_ready = api::find_true_condition(conditions, "Ready") != nullptr;
  const bool pulled = is_ready || is_pulled(container_status(pod, container));
  out.ready += is_ready ? 1 : 0;
  out.pulled += pulled ? 1 : 0;
  out.scheduled += pulled || !text_at(pod, {"spec", "nodeName"}).empty() ? 1 : 0;
}

std::string fraction(const char* what, std::int64_t done, std::int64_t size) {
  return std::string(what) + " " + std::to_string(done) + "/" + std::to_string(size);
}

// What is done, in steps of one pod; the quorum is the last one.
std::int64_t steps_done(const Progress& progress) {
  if (progress.quorum) return 3 * progress.size + 1;
  return progress.no_pods ? 0 : progress.scheduled + progress.pulled + progress.ready;
}

}  // namespace

Progress progress_of(const json& minicluster, const std::vector<json>& pods) {
  Progress out;
  out.name = text_at(minicluster, {"metadata", "name"});
  out.size = integer_at(minicluster, {"status", "size"});
  if (out.size <= 0)
    out.size = std::max<std::int64_t>(1, integer_at(minicluster, {"spec", "size"}));
  const std::string container = flux_container(minicluster);
  for (const json& pod : pods) {
    if (!rank_of(pod) || is_going(pod)) continue;
    out.no_pods = false;
    count_pod(pod, container, out);
  }
  for (std::int64_t* const number : {&out.scheduled, &out.pulled, &out.ready})
    *number = std::min(*number, out.size);
  const bool has_ended = end_of(minicluster).has_value();
  out.quorum = is_true(minicluster, api::kReady) || has_ended || is_finishing(minicluster);
  if (!has_ended) out.blocked = blocked_by(minicluster);
  return out;
}

std::string stage_of(const Progress& progress) {
  if (progress.quorum) return "running";
  if (progress.no_pods) return "no pods yet";
  return fraction("scheduled", progress.scheduled, progress.size) + ", " +
         fraction("pulled", progress.pulled, progress.size) + ", " +
         fraction("ready", progress.ready, progress.size);
}

bool has_command_started(const json& minicluster) {
  return progress_of(minicluster, {}).quorum ||
         text_at(minicluster, {"status", "phase"}) == api::kPhaseRunning;
}

std::string why_not_started(const json& minicluster, const std::vector<json>& pods) {
  const Progress progress = progress_of(minicluster, pods);
  if (!progress.blocked.empty()) return progress.blocked;
  const bool is_known = !text_at(minicluster, {"status", "phase"}).empty();
  return is_known ? stage_of(progress) : "no controller has acted on the MiniCluster";
}

std::string bar_of(const Progress& progress, int columns) {
  const std::size_t width = static_cast<std::size_t>(std::max(columns, 20));
  const std::string name = cut_short(progress.name, kLongestName), stage = stage_of(progress);
  const std::size_t taken = name.size() + stage.size() + 4;  // ` [` and `] `
  if (taken + kShortestBar > width) return cut_short(name + ": " + stage, width);
  const std::size_t bar = width - taken;
  const auto done = static_cast<std::size_t>(steps_done(progress)) * bar /
                    static_cast<std::size_t>(3 * progress.size + 1);
  return name + " [" + std::string(done, '#') + std::string(bar - done, '-') + "] " + stage;
}

bool is_another_line(const Progress& before, const Progress& now) {
  if (before.quorum != now.quorum) return true;
  if (now.quorum) return false;
  if (before.no_pods != now.no_pods || before.size != now.size) return true;
  if (now.no_pods) return false;
  constexpr std::array kCounts = {&Progress::scheduled, &Progress::pulled, &Progress::ready};
  return std::ranges::any_of(kCounts, [&](const auto count) {
    return now.*count != before.*count &&
           (now.*count == now.size || now.*count * 10 / now.size != before.*count * 10 / now.size);
  });
}

std::optional<Lead> lead_of(const json& minicluster, const std::vector<json>& pods) {
  const json* const pod = pod_of_rank(pods, 0);
  if (pod == nullptr) return std::nullopt;
  const json& status = container_status(*pod, flux_container(minicluster));
  if (!has_started(status)) return std::nullopt;
  return Lead{text_at(*pod, {"metadata", "name"}), text_at(*pod, {"metadata", "uid"}),
              integer_at(status, {"restartCount"}),
              at_path(status, {"state", "terminated"}).is_object()};
}

json reduced_pod(const json& pod) {
  json out = {{"metadata", at_path(pod, {"metadata"})}, {"status", json::object()}};
  out["metadata"].erase("annotations");
  out["spec"] = {{"nodeName", text_at(pod, {"spec", "nodeName"})}};
  out["status"]["phase"] = text_at(pod, {"status", "phase"});
  for (const json& condition : items_at(pod, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) != "Ready") continue;
    out["status"]["conditions"] = {{{"type", "Ready"}, {"status", text_at(condition, {"status"})}}};
  }
  for (const char* const list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json& status : items_at(pod, {"status", list})) {
      out["status"][list].push_back({{"name", text_at(status, {"name"})},
                                     {"state", at_path(status, {"state"})},
                                     {"imageID", text_at(status, {"imageID"})},
                                     {"restartCount", integer_at(status, {"restartCount"})}});
    }
  }
  return out;
}

}  // namespace mc::kubectl
