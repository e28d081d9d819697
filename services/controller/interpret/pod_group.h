#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "services/controller/cluster/observed.h"

// What the PodGroup of a MiniCluster's Job means. Pure.
namespace mc::controller {

// From the creation of a PodGroup: a scheduler that knows PodGroups has said something by then.
inline constexpr std::chrono::seconds kSchedulerIsSilent{30};

// The minCount that the PodGroup should have: as many pods as the command needs, but no more than
// the Job has.
std::int64_t min_count(const Job& job, const api::Spec& spec);

// GangScheduled, in the scheduler's own words; nothing if nobody wants a PodGroup.
std::optional<api::Condition> gang_scheduled(const Observed& observed, const Job& job,
                                             const api::MiniCluster& cluster, Time now);

}  // namespace mc::controller
