#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "services/controller/cluster/types.h"

namespace mc::controller {

// What the FluxSetup in force says about a MiniCluster.
struct QuotaReservation {
  // A FluxSetup limits what runs: Jobs are created suspended, and a Job that runs may not grow
  // beyond `granted`. Otherwise nothing else here counts.
  bool limited = false;
  // The uid of the Job that may run now with `granted` pods, because that is written down; ""
  // for none. A Job that runs already keeps the pods that it has.
  std::string job;
  std::int64_t granted = 0;
  // The uid of the Job that is to be suspended for MiniClusters of a higher priority; "" for none.
  std::string preempted;
  // Of two that wait for each other, the younger one is put back into the queue.
  bool releases = false;
  // The condition QuotaReserved, while it waits or wants to grow.
  std::optional<api::Condition> condition;
  // spec.defaults.flux of the FluxSetup, for a new Job. Null if it has none.
  Opaque defaults{};

  // Defaults are not compared: they change nothing that exists.
  friend bool operator==(const QuotaReservation& a, const QuotaReservation& b) {
    return a.limited == b.limited && a.releases == b.releases && a.job == b.job &&
           a.preempted == b.preempted && a.granted == b.granted && a.condition == b.condition;
  }
};

}  // namespace mc::controller
