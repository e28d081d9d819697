#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/api/model/pod_requests.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "services/controller/cluster/log_tail.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

constexpr std::size_t kMostWords = 1024;

constexpr std::array<std::pair<std::string_view, PodPhase>, 5> kPhases = {
    {{"Pending", PodPhase::Pending},
     {"Running", PodPhase::Running},
     {"Succeeded", PodPhase::Succeeded},
     {"Failed", PodPhase::Failed},
     {"Unknown", PodPhase::Unknown}}};

PodPhase phase_of(const json& pod) {
  const std::string name = text_at(pod, {"status", "phase"});
  if (name.empty()) return PodPhase::None;
  const auto* const found =
      std::ranges::find(kPhases, name, [](const auto& one) { return one.first; });
  return found == kPhases.end() ? PodPhase::Unknown : found->second;
}

// -1 if no label says it.
std::int64_t index_of(const json& pod) {
  const std::int64_t index =
      parse_integer(text_at(pod, {"metadata", "labels", api::kJobIndexLabel})).value_or(-1);
  return std::max<std::int64_t>(index, -1);
}

ContainerEnd read_container_end(const json& terminated) {
  const std::string log = text_at(terminated, {"message"});
  return {.exit_code = integer_at(terminated, {"exitCode"}),
          .reason = read_text(terminated, {"reason"}),
          .last_words = last_words(log, kMostWords),
          .finished = read_time(terminated, {"finishedAt"}),
          .step = step_end(log),
          .command_code = reported_exit_code(log),
          .singletons = reported_singletons(log),
          .outlived = reported_outlived(cut_utf8(log, kMostWords))};
}

bool is_sidecar(const json& pod, std::string_view name) {
  return std::ranges::any_of(items_at(pod, {"spec", "initContainers"}), [&](const json& container) {
    return text_at(container, {"name"}) == name &&
           text_at(container, {"restartPolicy"}) == "Always";
  });
}

Container read_container(const json& status, const json& pod) {
  const json& running = at_path(status, {"state", "running"});
  const json& now = at_path(status, {"state", "terminated"});
  const json& last = at_path(status, {"lastState", "terminated"});
  Container out{.name = read_text(status, {"name"}),
                .restarts = integer_at(status, {"restartCount"}),
                .is_sidecar = is_sidecar(pod, text_at(status, {"name"})),
                .waiting = read_reason(at_path(status, {"state", "waiting"})),
                .runs = running.is_object(),
                .started = read_time(running, {"startedAt"}),
                .ended = {},
                .was_restarted = !now.is_object() && last.is_object()};
  if (now.is_object() || last.is_object())
    out.ended = read_container_end(now.is_object() ? now : last);
  return out;
}

std::vector<Container> read_containers(const json& pod, const char* statuses) {
  std::vector<Container> out;
  for (const json& status : items_at(pod, {"status", statuses})) {
    out.push_back(read_container(status, pod));
  }
  return out;
}

// Of a pod whose node does not answer, the node controller changes only the status of this
// condition; a kubelet always gives a reason.
bool is_silent(const json& pod) {
  const json* ready = api::condition_of(pod, "Ready");
  return ready != nullptr && text_at(*ready, {"status"}) == "False" &&
         text_at(*ready, {"reason"}).empty() &&
         api::true_condition_of(pod, "ContainersReady") != nullptr;
}

void read_conditions(const json& pod, Pod& out) {
  out.is_silent = is_silent(pod);
  for (const json& condition : items_at(pod, {"status", "conditions"})) {
    const std::string type = text_at(condition, {"type"}), holds = text_at(condition, {"status"});
    if (type == "Ready" && holds == "True") out.is_ready = true;
    if (type != "PodScheduled") continue;
    if (holds == "False") out.unscheduled = read_reason(condition);
    if (holds == "True") out.bound = read_time(condition, {"lastTransitionTime"});
  }
}

}  // namespace

Pod read_pod(const json& pod) {
  const json& metadata = at_path(pod, {"metadata"});
  Pod out;
  out.metadata = read_metadata(pod);
  out.grace = std::chrono::seconds(integer_at(metadata, {"deletionGracePeriodSeconds"}));
  out.index = index_of(pod);
  out.index_label = text_at(metadata, {"labels", api::kIndexLabel});
  out.admitted = read_text(metadata, {"annotations", api::kAdmittedAnnotation});
  if (out.index < 0) out.labels = read_labels(pod);
  out.phase = phase_of(pod);
  out.why = read_reason(at_path(pod, {"status"}));
  out.started = read_time(pod, {"status", "startTime"});
  read_conditions(pod, out);
  if (out.metadata.deletion || out.is_silent) out.node = text_at(pod, {"spec", "nodeName"});
  out.requests = api::pod_requests(at_path(pod, {"spec"}));
  out.init_containers = read_containers(pod, "initContainerStatuses");
  out.containers = read_containers(pod, "containerStatuses");
  return out;
}

}  // namespace mc::controller
