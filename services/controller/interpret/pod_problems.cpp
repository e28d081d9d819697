#include "services/controller/interpret/pod_problems.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "common/render/exit_codes.h"
#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

using Mounts = std::vector<Shared<Event>>;

std::optional<PodProblem> unscheduled(const Pod& pod, const Mounts&) {
  if (!pod.unscheduled || pod.unscheduled->reason != "Unschedulable") return std::nullopt;
  return PodProblem{api::kReasonUnschedulable, pod_name(pod) + ": " + pod.unscheduled->message};
}

// Our reason for a waiting reason of the kubelet; nothing if it is no problem.
std::optional<api::KnownReason> problem_reason(std::string_view reason) {
  static constexpr std::array<std::string_view, 6> kImage = {
      "ErrImagePull",      "ImagePullBackOff",    "InvalidImageName",
      "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"};
  static constexpr std::array<std::string_view, 5> kStart = {
      "CreateContainerConfigError", "CreateContainerError", "RunContainerError",
      "PreCreateHookError", "PostStartHookError"};
  if (std::ranges::find(kImage, reason) != kImage.end()) {
    return api::KnownReason(api::kReasonImagePullFailed);
  }
  if (std::ranges::find(kStart, reason) != kStart.end()) {
    return api::KnownReason(api::kReasonContainerCannotStart);
  }
  if (reason == "CrashLoopBackOff") return api::KnownReason(api::kReasonCrashLooping);
  return std::nullopt;
}

std::optional<PodProblem> waiting(const Pod& pod, const Mounts&) {
  for (const Container* container : containers_of(pod)) {
    const auto& [reason, message] = container->waiting;
    const auto known = problem_reason(reason);
    const bool crashes = known == api::KnownReason(api::kReasonCrashLooping);
    if (!known || (crashes && is_oom_killed(*container))) continue;
    std::string what = container_name(pod, *container);
    if (crashes) {
      what += " " + how_it_ended(*container);
    } else {
      what.append(": ").append(reason).append(": ").append(message);
    }
    return PodProblem{*known, std::move(what)};
  }
  return std::nullopt;
}

// True for the message of a kubelet about a pod that it has just received, if it is busy, or faster
// than the ConfigMap that pods wait for (plan.h); it retries half a second later.
bool is_catching_up(std::string_view message) {
  return (message.contains("failed to sync ") &&
          message.ends_with(" cache: timed out waiting for the condition")) ||
         (message.contains("configmap \"") && message.contains("-entrypoint-") &&
          message.ends_with("\" not found"));
}

// Repeated events about one or several volumes are one problem: this picks one message of the last
// minutes (a kubelet waits two minutes between tries), if possible one about a single volume.
std::optional<PodProblem> mount_failure(const Pod& pod, const Mounts& mounts) {
  if (!is_being_prepared(pod)) return std::nullopt;
  constexpr std::chrono::seconds kOneTry{180};
  std::vector<const Event*> events;
  std::optional<Time> last;
  for (const Shared<Event>& event : mounts) {
    if (event->metadata.owner.uid != pod.metadata.uid || is_catching_up(event->message)) continue;
    events.push_back(event.get());
    last = std::max(last, event->time);
  }
  std::erase_if(events,
                [&](const Event* event) { return event->time && *event->time + kOneTry < *last; });
  if (events.empty()) return std::nullopt;
  const Event* first = *std::ranges::min_element(events, {}, [](const Event* event) {
    return std::pair(!event->message.starts_with("MountVolume."), std::string_view(event->message));
  });
  return PodProblem{api::kReasonMountFailed, pod_name(pod) + ": " + first->message};
}

std::string memory_sentence(const Pod& pod, const Container& container) {
  return container_name(pod, container) +
         " was OOMKilled: raise its memory limit (resources.limits.memory)";
}

// Reported until the pod is ready again.
std::optional<PodProblem> oom_killed(const Pod& pod, const Mounts&) {
  if (pod.is_ready) return std::nullopt;
  for (const Container* container : containers_of(pod)) {
    if (is_oom_killed(*container) && exit_code(*container) != 0) {
      return PodProblem{api::kReasonOomKilled, memory_sentence(pod, *container)};
    }
  }
  return std::nullopt;
}

// The kubelet restarts the pod in its place (spec.restartStrategy), for which it first removes its
// containers, and then no longer knows how they ended. Reported until the pod is ready again.
std::optional<PodProblem> restarting(const Pod& pod, const Mounts&) {
  static constexpr std::string_view kRemoved = "RestartingAllContainers";
  if (pod.is_ready || is_over(pod)) return std::nullopt;
  for (const Container* container : containers_of(pod)) {
    if (is_over(*container) && exit_code(*container) == render::exit_code_of("in_place")) {
      return PodProblem{api::kReasonPodFailing, pod_name(pod) + " restarts in place: container " +
                                                    container->name + " " +
                                                    how_it_ended(*container)};
    }
    if (container->waiting.reason == kRemoved ||
        (!is_over(*container) && container->ended && container->ended->reason == kRemoved)) {
      return PodProblem{api::kReasonPodFailing,
                        pod_name(pod) + " restarts in place; its log may say why"};
    }
  }
  return std::nullopt;
}

// A pod that failed and that the Job recreates.
std::optional<PodProblem> failed(const Pod& pod, const Mounts&) {
  if (!has_failed(pod)) return std::nullopt;
  for (const Container* container : containers_of(pod)) {
    if (exit_code(*container) == 0) continue;
    return PodProblem{api::kReasonPodFailing,
                      container_name(pod, *container) + " " + how_it_ended(*container)};
  }
  const auto& [reason, message] = pod.why;
  return PodProblem{api::kReasonPodFailing, pod_name(pod) + " failed" +
                                                (reason.empty() ? "" : " (" + reason + ")") +
                                                (message.empty() ? "" : ": " + message)};
}

// Number of times that the Job or the kubelet tried again because a container of this pod was
// OOMKilled. A sidecar does not count: it is restarted as long as the pod lives. Of any other
// container only the last end is known.
std::int64_t oom_kills_in(const Pod& pod) {
  std::int64_t most = 0;
  for (const Container* container : containers_of(pod)) {
    const bool counts = is_oom_killed(*container) && exit_code(*container) != 0;
    if (!counts || container->is_sidecar) continue;
    most = std::max(most, container->restarts + (is_over(*container) && has_failed(pod) ? 1 : 0));
  }
  return most;
}

}  // namespace

std::optional<PodProblem> pod_problem(const Pods& pods, const std::vector<Shared<Event>>& mounts) {
  const std::vector<const Pod*> now = current(pods);
  for (const auto look : {unscheduled, mount_failure, waiting, oom_killed, restarting, failed}) {
    for (const Pod* pod : now) {
      if (auto found = look(*pod, mounts)) return found;
    }
  }
  return std::nullopt;
}

bool is_in_part(const Pods& pods, std::int64_t bound, std::int64_t needed) {
  return bound > 0 && bound < needed &&
         std::ranges::any_of(
             current(pods), [](const Pod* pod) { return unscheduled(*pod, {}).has_value(); });
}

std::optional<std::string> out_of_memory(const Pods& pods, bool also_ended_well) {
  for (const Pod* pod : current(pods)) {
    if (auto found = out_of_memory(*pod, also_ended_well)) return found;
  }
  return std::nullopt;
}

std::optional<std::string> out_of_memory(const Pod& pod, bool also_ended_well) {
  for (const Container* container : containers_of(pod)) {
    if (is_oom_killed(*container) && (also_ended_well || exit_code(*container) != 0)) {
      return memory_sentence(pod, *container);
    }
  }
  return std::nullopt;
}

std::int64_t oom_kills(const Pods& pods) {
  std::map<std::int64_t, std::int64_t> by_index;
  for (const Shared<Pod>& pod : pods) by_index[pod->index] += oom_kills_in(*pod);
  std::int64_t most = 0;
  for (const auto& [index, kills] : by_index) most = std::max(most, kills);
  return most;
}

std::optional<PodProblem> refused_pods(const std::vector<Shared<Event>>& events, const Pods& pods,
                                       const CountedPods& counted) {
  if (events.empty()) return std::nullopt;
  const Event& latest = **std::ranges::max_element(
      events, {}, [](const Shared<Event>& event) { return event->metadata.version; });
  const bool is_past = latest.time && (counted.newest > latest.time ||
                                       std::ranges::any_of(pods, [&](const Shared<Pod>& pod) {
                                         return pod->metadata.created > latest.time;
                                       }));
  if (is_past) return std::nullopt;
  return PodProblem{api::kReasonPodsRefused, latest.message};
}

Readiness readiness(const Pods& pods, const CountedPods& counted) {
  Readiness out{.pods = counted.ready};
  for (const Pod* pod : current(pods)) {
    out.has_lost = out.has_lost || has_failed(*pod);
    if (is_over(*pod) || !pod->is_ready) continue;
    ++out.pods;
    out.lead = out.lead || pod->index == 0;
  }
  return out;
}

const Pod* lead_pod(const Pods& pods) {
  for (const Pod* pod : in_order(pods)) {
    if (pod->index == 0 && !is_deleted(pod->metadata) && !has_failed(*pod)) return pod;
  }
  return nullptr;
}

}  // namespace mc::controller
