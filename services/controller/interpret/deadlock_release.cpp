#include "services/controller/interpret/deadlock_release.h"

#include <string_view>

#include "common/api/model/conditions.h"
#include "common/base/rfc3339.h"

namespace mc::controller {
namespace {

constexpr std::string_view kReleased = "released ";

// A Job that is resumed starts again, and its MiniCluster is not Ready until then. The first
// status, which says that it is not, may be written after the start, and by another clock.
bool was_ready_since_start(const ClusterStatus& status, const Job& job) {
  const auto* ready = api::find_condition(status.conditions, api::kReady);
  if (ready == nullptr) return false;
  const auto* accepted = api::find_condition(status.conditions, api::kAccepted);
  const bool is_the_first =
      accepted != nullptr && accepted->last_transition_time == ready->last_transition_time;
  const auto changed = parse_rfc3339(ready->last_transition_time.str());
  return ready->is_true() || (!is_the_first && changed && job.started && *changed > *job.started);
}

}  // namespace

std::optional<Release> release_of(const Job& job) {
  const std::string& note = job.notes.quota;
  if (!job.is_suspended || !note.starts_with(kReleased)) return std::nullopt;
  const std::size_t space = note.find(' ', kReleased.size());
  const auto at = parse_rfc3339(note.substr(kReleased.size(), space - kReleased.size()));
  if (!at || space == std::string::npos) return Release{.at = Time(), .other = ""};
  return Release{.at = std::chrono::floor<std::chrono::seconds>(*at),
                 .other = note.substr(space + 1)};
}

std::string release_note(const Release& release) {
  return std::string(kReleased) + rfc3339(release.at) + " " + release.other;
}

bool is_to_be_released(const Observed& observed, const Job& job) {
  return observed.quota.limited && observed.quota.releases && observed.yields &&
         !observed.in_part_with.empty() && !job.is_suspended && job.failed == 0 &&
         job.succeeded == 0 && !was_ready_since_start(observed.cluster->status, job);
}

}  // namespace mc::controller
