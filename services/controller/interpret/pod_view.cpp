#include "services/controller/interpret/pod_view.h"

#include <algorithm>

namespace mc::controller {

bool has_index_label(const Pod& pod) {
  return pod.index < 0 || pod.index_label == std::to_string(pod.index);
}

bool has_failed(const Pod& pod) { return pod.phase == PodPhase::Failed; }

bool is_over(const Pod& pod) { return pod.phase == PodPhase::Succeeded || has_failed(pod); }

std::vector<const Pod*> in_order(const Pods& pods) {
  std::vector<const Pod*> out;
  out.reserve(pods.size());
  for (const Shared<Pod>& pod : pods) out.push_back(pod.get());
  std::ranges::stable_sort(out, [](const Pod* a, const Pod* b) {
    return a->index != b->index ? a->index < b->index : a->metadata.created > b->metadata.created;
  });
  return out;
}

std::vector<const Pod*> current(const Pods& pods) {
  std::vector<const Pod*> out;
  std::int64_t last = -1;
  for (const Pod* pod : in_order(pods)) {
    const bool replaced = pod->index == last && last >= 0;
    if (pod->phase != PodPhase::Pending) last = pod->index;
    if (!replaced && !is_deleted(pod->metadata)) out.push_back(pod);
  }
  return out;
}

std::string pod_name(const Pod& pod) { return "pod " + pod.metadata.name; }

std::string container_name(const Pod& pod, const Container& container) {
  return pod_name(pod) + ", container " + container.name;
}

std::vector<const Container*> containers_of(const Pod& pod) {
  std::vector<const Container*> out;
  out.reserve(pod.init_containers.size() + pod.containers.size());
  for (const Container& container : pod.init_containers) out.push_back(&container);
  for (const Container& container : pod.containers) out.push_back(&container);
  return out;
}

const Container* container_of(const Pod& pod, const std::string& name) {
  const auto found = std::ranges::find(pod.containers, name, &Container::name);
  return found == pod.containers.end() ? nullptr : &*found;
}

std::string_view outlived_on(const Pod& pod) {
  for (const Container& container : pod.containers) {
    if (container.ended && !container.ended->outlived.empty()) return container.ended->outlived;
  }
  return "";
}

bool is_over(const Container& container) {
  return container.ended.has_value() && !container.was_restarted;
}

std::int64_t exit_code(const Container& container) {
  return container.ended ? container.ended->exit_code : 0;
}

std::optional<Time> end_time(const Container& container) {
  return container.ended ? container.ended->finished : std::nullopt;
}

bool is_oom_killed(const Container& container) {
  return container.ended && container.ended->reason == "OOMKilled";
}

std::string held_by(const Pod& pod, const std::string& runner) {
  const Container* container = container_of(pod, runner);
  if (container == nullptr || !is_over(*container) || is_deleted(pod.metadata)) return "";
  const auto other = std::ranges::find_if(pod.containers, &Container::runs);
  return other == pod.containers.end() ? "" : other->name;
}

bool is_being_prepared(const Pod& pod) {
  return (pod.phase == PodPhase::Pending || pod.phase == PodPhase::None) &&
         !is_deleted(pod.metadata) &&
         std::ranges::none_of(containers_of(pod), [](const Container* container) {
           return container->runs || container->ended;
         });
}

std::string how_it_ended(const Container& container) {
  std::string out = "ended with code " + std::to_string(exit_code(container));
  const std::string reason = container.ended ? container.ended->reason : "";
  if (!reason.empty() && reason != "Error" && reason != "Completed") out += " (" + reason + ")";
  return out + last_words_of(container);
}

std::string last_words_of(const Container& container) {
  return container.ended && !container.ended->last_words.empty()
             ? ": " + container.ended->last_words
             : "";
}

}  // namespace mc::controller
