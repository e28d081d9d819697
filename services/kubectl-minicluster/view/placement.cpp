#include "services/kubectl-minicluster/view/placement.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/reasons.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

constexpr std::size_t kMostRanges = 10;

// Of ranks, from the first to the last of each, in ascending order.
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Group {
  std::string why;
  std::string first;  // the name of its first pod; "" if they do not exist
  Ranges ranges;
};

void add(std::int64_t first, std::int64_t last, Ranges& ranges) {
  if (first > last) return;
  if (!ranges.empty() && ranges.back().second + 1 == first) {
    ranges.back().second = last;
  } else {
    ranges.emplace_back(first, last);
  }
}

// `1, 3 and 5 to 7`
std::string text_of(const Ranges& ranges) {
  std::string out;
  const std::size_t shown = std::min(ranges.size(), kMostRanges);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [first, last] = ranges[i];
    if (i > 0) out += i + 1 == ranges.size() ? " and " : ", ";
    out += std::to_string(first);
    const bool are_two = ranges.size() == 1 && last == first + 1;
    if (last > first) out += (are_two ? " and " : " to ") + std::to_string(last);
  }
  return ranges.size() > shown ? out + " and others" : out;
}

Unplaced told(const Group& group) {
  const auto& [first, last] = group.ranges.front();
  const bool is_one = group.ranges.size() == 1 && first == last;
  Unplaced out{.pods = (is_one ? "pod " : "pods ") + text_of(group.ranges), .why = group.why};
  if (!group.first.empty()) out.pods += (is_one ? " (" : " (first ") + group.first + ")";
  return out;
}

bool may_have_pods(const json& minicluster) {
  const std::string phase = text_at(minicluster, {"status", "phase"});
  return phase == api::kPhaseStarting || phase == api::kPhaseRunning;
}

bool is_over(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

// The scheduler's words about the PodGroup that has no room, without a period; "" if that is not
// so.
std::string words_about_group(const json& minicluster) {
  const json* gang = api::condition_of(minicluster, api::kGangScheduled);
  if (gang == nullptr || text_at(*gang, {"status"}) == "True") return "";
  const std::string message = text_at(*gang, {"message"});
  return std::string(trimmed(message, "."));
}

// Of pods that would have a node, the scheduler repeats what it says of their group.
std::string why_not_placed(const json& pod, const std::string& of_group) {
  const json* said = api::condition_of(pod, "PodScheduled");
  if (said == nullptr) return "The scheduler has said nothing.";
  const std::string message = text_at(*said, {"message"});
  const bool repeats = !message.empty() && !of_group.empty() &&
                       (message.contains(of_group) || of_group.contains(message));
  return repeats ? "Waits until there is room for all (see GangScheduled)."
                 : text_at(*said, {"reason"}) + ": " + message;
}

void add_unplaced(std::int64_t rank, const json& pod, std::string why, std::vector<Group>& groups) {
  auto group = std::ranges::find(groups, why, &Group::why);
  if (group == groups.end()) {
    groups.push_back({std::move(why), text_at(pod, {"metadata", "name"}), {}});
    group = std::prev(groups.end());
  }
  add(rank, rank, group->ranges);
}

}  // namespace

Placement placement_of(const json& minicluster, const std::vector<json>& pods) {
  Placement out;
  if (pods.empty() || !may_have_pods(minicluster)) return out;
  out.size =
      integer_at(minicluster, {"status", "size"}, integer_at(minicluster, {"spec", "size"}, 1));
  const std::int64_t least = integer_at(minicluster, {"spec", "minSize"});
  out.needed = least > 0 ? std::min(least, out.size) : out.size;
  const std::string of_group = words_about_group(minicluster);
  std::vector<Group> groups;
  Ranges absent;
  std::int64_t next = 0;  // the rank after the last one that exists
  for (const auto& [rank, pod] : pods_by_rank(pods)) {
    if (rank < 0 || rank >= out.size) continue;
    add(next, rank - 1, absent);
    next = rank + 1;
    if (is_over(*pod)) continue;
    const bool has_node = api::true_condition_of(*pod, "PodScheduled") != nullptr;
    out.placed += has_node ? 1 : 0;
    if (!has_node) add_unplaced(rank, *pod, why_not_placed(*pod, of_group), groups);
  }
  add(next, out.size - 1, absent);
  if (!absent.empty()) groups.push_back({"Not created yet.", "", std::move(absent)});
  std::ranges::transform(groups, std::back_inserter(out.without), told);
  return out;
}

}  // namespace mc::kubectl
