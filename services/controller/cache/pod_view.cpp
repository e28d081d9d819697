#include "services/controller/cache/pod_view.h"

#include <algorithm>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::controller {
std::int64_t index_of(const json& pod) {
  const std::int64_t index =
      parse_integer(text_at(pod, {"metadata", "labels", api::kJobIndexLabel})).value_or(-1);
  return std::max<std::int64_t>(index, -1);
}

bool has_index_label(const json& pod) {
  const std::int64_t index = index_of(pod);
  return index < 0 ||
         text_at(pod, {"metadata", "labels", api::kIndexLabel}) == std::to_string(index);
}

bool has_failed(const json& pod) { return text_at(pod, {"status", "phase"}) == "Failed"; }

bool is_ready(const json& pod) { return at_path(pod, {"status", "ready"}) == true; }

bool is_silent(const json& pod) { return at_path(pod, {"status", "silent"}) == true; }

std::vector<const json*> in_order(const std::vector<Snapshot>& pods) {
  struct Entry {
    std::int64_t index;
    std::string created;
    const json* pod;
  };
  std::vector<Entry> entries;
  entries.reserve(pods.size());
  for (const Snapshot& pod : pods) {
    entries.push_back(
        {index_of(*pod), text_at(*pod, {"metadata", "creationTimestamp"}), pod.get()});
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return a.index != b.index ? a.index < b.index : a.created > b.created;
  });
  std::vector<const json*> out;
  out.reserve(entries.size());
  for (const Entry& entry : entries) out.push_back(entry.pod);
  return out;
}

std::vector<const json*> current(const std::vector<Snapshot>& pods) {
  std::vector<const json*> out;
  std::int64_t last = -1;
  for (const json* pod : in_order(pods)) {
    const bool replaced = index_of(*pod) == last && last >= 0;
    if (text_at(*pod, {"status", "phase"}) != "Pending") last = index_of(*pod);
    if (!replaced && !is_deleted(*pod)) out.push_back(pod);
  }
  return out;
}

std::string pod_name(const json& pod) { return "pod " + text_at(pod, {"metadata", "name"}); }

std::string container_name(const json& pod, const json& container) {
  return pod_name(pod) + ", container " + text_at(container, {"name"});
}

std::vector<const json*> containers_of(const json& pod) {
  std::vector<const json*> out;
  for (const char* statuses : {"initContainerStatuses", "containerStatuses"}) {
    for (const json& container : items_at(pod, {"status", statuses})) out.push_back(&container);
  }
  return out;
}

const json* container_of(const json& pod, const std::string& name) {
  for (const json& container : items_at(pod, {"status", "containerStatuses"})) {
    if (text_at(container, {"name"}) == name) return &container;
  }
  return nullptr;
}

bool is_over(const json& container) {
  return container.contains("ended") && !container.contains("restarted");
}

std::int64_t exit_code(const json& container) {
  return integer_at(container, {"ended", "exitCode"});
}

bool is_oom_killed(const json& container) {
  return text_at(container, {"ended", "reason"}) == "OOMKilled";
}

std::string held_by(const json& pod, const std::string& runner) {
  const json* container = container_of(pod, runner);
  if (container == nullptr || !is_over(*container) || is_deleted(pod)) return "";
  for (const json& other : items_at(pod, {"status", "containerStatuses"})) {
    if (other.contains("running")) return text_at(other, {"name"});
  }
  return "";
}

bool is_being_prepared(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return (phase == "Pending" || phase.empty()) && !is_deleted(pod) &&
         std::ranges::none_of(containers_of(pod), [](const json* container) {
           return container->contains("running") || container->contains("ended");
         });
}

std::string how_it_ended(const json& container) {
  std::string out = "ended with code " + std::to_string(exit_code(container));
  const std::string reason = text_at(container, {"ended", "reason"});
  if (!reason.empty() && reason != "Error" && reason != "Completed") out += " (" + reason + ")";
  return out + last_words_of(container);
}

std::string last_words_of(const json& container) {
  const std::string words = text_at(container, {"ended", "message"});
  return words.empty() ? "" : ": " + words;
}

}  // namespace mc::controller
