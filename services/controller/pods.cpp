#include "services/controller/pods.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/base/json_path.h"
#include "common/base/utf8.h"
#include "services/controller/render/exit_codes.h"

namespace mc::controller {
namespace {

constexpr const char* kIndexLabel = "batch.kubernetes.io/job-completion-index";
// Of what the kubelet tells, which may be the last 2 KiB of a log.
constexpr std::size_t kMostText = 1024;

constexpr const char* kStatuses[] = {"initContainerStatuses", "containerStatuses"};

std::string cut(const std::string& text) { return std::string(cut_utf8(text, kMostText)); }

// The members of `from` that are named, texts cut.
json members(const json& from, std::initializer_list<const char*> names) {
  json out = json::object();
  for (const char* name : names) {
    const json& value = at_path(from, {name});
    if (value.is_string()) {
      out[name] = cut(value.get<std::string>());
    } else if (!value.is_null()) {
      out[name] = value;
    }
  }
  return out;
}

json reduce_container(const json& container) {
  json out = members(container, {"name", "restartCount"});
  if (const json& waiting = at_path(container, {"state", "waiting"}); waiting.is_object()) {
    out["waiting"] = members(waiting, {"reason", "message"});
  }
  for (const char* state : {"state", "lastState"}) {
    const json& ended = at_path(container, {state, "terminated"});
    if (ended.is_object() && !out.contains("ended")) {
      out["ended"] = members(ended, {"exitCode", "reason", "message"});
    }
  }
  return out;
}

std::int64_t index_of(const json& pod) {
  const std::string text = text_at(pod, {"metadata", "labels", kIndexLabel});
  if (text.empty() || text.size() > 9 ||
      !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    return -1;
  }
  return std::stol(text);
}

bool is_deleted(const json& pod) {
  return !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
}

// By completion index, the youngest of an index first.
std::vector<const json*> in_order(const std::vector<Snapshot>& pods) {
  std::vector<const json*> out;
  out.reserve(pods.size());
  for (const Snapshot& pod : pods) out.push_back(pod.get());
  std::ranges::stable_sort(out, [](const json* a, const json* b) {
    if (index_of(*a) != index_of(*b)) return index_of(*a) < index_of(*b);
    return text_at(*a, {"metadata", "creationTimestamp"}) >
           text_at(*b, {"metadata", "creationTimestamp"});
  });
  return out;
}

std::string pod_name(const json& pod) { return "pod " + text_at(pod, {"metadata", "name"}); }

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

std::string how_it_ended(const json& ended) {
  std::string out = "ended with code " + std::to_string(integer_at(ended, {"exitCode"}));
  const std::string reason = text_at(ended, {"reason"});
  if (!reason.empty() && reason != "Error" && reason != "Completed") out += " (" + reason + ")";
  const std::string text = one_line(text_at(ended, {"message"}));
  return text.empty() ? out : out + ": " + text;
}

std::optional<Trouble> unscheduled(const json& pod) {
  if (text_at(pod, {"status", "unscheduled", "reason"}) != "Unschedulable") return std::nullopt;
  return Trouble{"Unschedulable",
                 pod_name(pod) + ": " + text_at(pod, {"status", "unscheduled", "message"})};
}

// The kubelet's waiting reasons, by what a person calls them.
std::string_view waiting_trouble(std::string_view reason) {
  static constexpr std::array<std::string_view, 6> kImage = {
      "ErrImagePull",      "ImagePullBackOff",    "InvalidImageName",
      "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"};
  static constexpr std::array<std::string_view, 5> kStart = {
      "CreateContainerConfigError", "CreateContainerError", "RunContainerError",
      "PreCreateHookError", "PostStartHookError"};
  if (std::ranges::find(kImage, reason) != kImage.end()) return "ImagePullFailed";
  if (std::ranges::find(kStart, reason) != kStart.end()) return "ContainerCannotStart";
  return reason == "CrashLoopBackOff" ? "CrashLooping" : "";
}

template <class Look>
std::optional<Trouble> in_containers(const json& pod, Look look) {
  for (const char* statuses : kStatuses) {
    const json& containers = at_path(pod, {"status", statuses});
    if (!containers.is_array()) continue;
    for (const json& container : containers) {
      if (auto found = look(container)) return found;
    }
  }
  return std::nullopt;
}

std::optional<Trouble> waiting(const json& pod) {
  return in_containers(pod, [&](const json& container) -> std::optional<Trouble> {
    const std::string reason = text_at(container, {"waiting", "reason"});
    const std::string_view known = waiting_trouble(reason);
    if (known.empty()) return std::nullopt;
    const std::string what = known == "CrashLooping"
                                 ? how_it_ended(at_path(container, {"ended"}))
                                 : reason + ": " + text_at(container, {"waiting", "message"});
    return Trouble{std::string(known),
                   pod_name(pod) + ", container " + text_at(container, {"name"}) + " " + what};
  });
}

// A pod that failed and that the Job makes anew.
std::optional<Trouble> failed(const json& pod) {
  if (text_at(pod, {"status", "phase"}) != "Failed") return std::nullopt;
  auto by_container = in_containers(pod, [&](const json& container) -> std::optional<Trouble> {
    const json& ended = at_path(container, {"ended"});
    if (integer_at(ended, {"exitCode"}) == 0) return std::nullopt;
    return Trouble{"PodFailing", pod_name(pod) + ", container " + text_at(container, {"name"}) +
                                     " " + how_it_ended(ended)};
  });
  if (by_container) return by_container;
  const std::string reason = text_at(pod, {"status", "reason"});
  return Trouble{"PodFailing", pod_name(pod) + " failed" +
                                   (reason.empty() ? "" : " (" + reason + ")") + ": " +
                                   text_at(pod, {"status", "message"})};
}

}  // namespace

json reduce_pod(const json& pod) {
  json metadata = members(at_path(pod, {"metadata"}),
                          {"name", "namespace", "uid", "resourceVersion", "labels",
                           "ownerReferences", "creationTimestamp", "deletionTimestamp"});
  json status = members(at_path(pod, {"status"}), {"phase", "reason", "message", "startTime"});
  const json& conditions = at_path(pod, {"status", "conditions"});
  if (conditions.is_array()) {
    for (const json& condition : conditions) {
      if (text_at(condition, {"type"}) == "PodScheduled" &&
          text_at(condition, {"status"}) == "False") {
        status["unscheduled"] = members(condition, {"reason", "message"});
      }
    }
  }
  for (const char* statuses : kStatuses) {
    const json& containers = at_path(pod, {"status", statuses});
    if (!containers.is_array()) continue;
    for (const json& container : containers) {
      status[statuses].push_back(reduce_container(container));
    }
  }
  json images = json::array();
  const json& containers = at_path(pod, {"spec", "containers"});
  if (containers.is_array()) {
    for (const json& container : containers)
      images.push_back(members(container, {"name", "image"}));
  }
  return {{"kind", "Pod"},
          {"metadata", std::move(metadata)},
          {"spec", {{"containers", std::move(images)}}},
          {"status", std::move(status)}};
}

json reduce_event(const json& event) {
  const json& about = at_path(event, {"involvedObject"});
  json metadata =
      members(at_path(event, {"metadata"}), {"name", "namespace", "uid", "resourceVersion"});
  metadata["ownerReferences"] = json::array({{{"kind", "Job"},
                                              {"name", text_at(about, {"name"})},
                                              {"uid", text_at(about, {"uid"})},
                                              {"controller", true}}});
  return {{"kind", "Event"},
          {"metadata", std::move(metadata)},
          {"message", cut(text_at(event, {"message"}))}};
}

std::optional<Trouble> trouble(const std::vector<Snapshot>& pods) {
  const std::vector<const json*> ordered = in_order(pods);
  for (const auto look : {unscheduled, waiting, failed}) {
    std::int64_t last = -1;
    for (const json* pod : ordered) {
      // Of one index the youngest pod tells how it is now, once it has begun.
      const bool replaced = index_of(*pod) == last && last >= 0;
      if (text_at(*pod, {"status", "phase"}) != "Pending") last = index_of(*pod);
      if (replaced || is_deleted(*pod)) continue;
      if (auto found = look(*pod)) return found;
    }
  }
  return std::nullopt;
}

std::optional<Trouble> refused_pods(const std::vector<Snapshot>& events) {
  if (events.empty()) return std::nullopt;
  // Versions are numbers: of two, the longer is the later.
  const auto latest = std::ranges::max_element(events, {}, [](const Snapshot& event) {
    std::string version = text_at(*event, {"metadata", "resourceVersion"});
    return std::pair(version.size(), std::move(version));
  });
  return Trouble{"PodsRefused", text_at(**latest, {"message"})};
}

std::string Failure::text() const {
  return std::to_string(code) + (last_lines.empty() ? "" : ": " + last_lines);
}

std::optional<Failure> command_failure(const std::vector<Snapshot>& pods,
                                       const std::string& runner) {
  for (const json* pod : in_order(pods)) {
    const json& containers = at_path(*pod, {"status", "containerStatuses"});
    if (!containers.is_array()) continue;
    for (const json& container : containers) {
      if (text_at(container, {"name"}) != runner) continue;
      const json& ended = at_path(container, {"ended"});
      const std::int64_t code = integer_at(ended, {"exitCode"});
      if (ended.is_null() || code == 0 || render::is_retried(code)) continue;
      return Failure{text_at(*pod, {"metadata", "name"}), code,
                     one_line(text_at(ended, {"message"}))};
    }
  }
  return std::nullopt;
}

const json* lead_pod(const std::vector<Snapshot>& pods) {
  for (const json* pod : in_order(pods)) {
    if (index_of(*pod) == 0 && !is_deleted(*pod) &&
        text_at(*pod, {"status", "phase"}) != "Failed") {
      return pod;
    }
  }
  return nullptr;
}

}  // namespace mc::controller
