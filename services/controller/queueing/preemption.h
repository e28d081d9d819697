#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "services/controller/queueing/scheduler.h"

// Who is suspended so that one of a higher priority starts (spec.preemptible). Pure.
namespace mc::controller::queueing {

// A MiniCluster that holds resources, and agreed to be suspended for others or is about to end.
struct Holder {
  std::string key, ns;  // namespace/name, namespace
  std::int32_t priority = 0;
  Time started;
  api::Amounts amounts;        // what it holds
  bool is_leaving = false;     // it is suspended or has ended, and its last pods are about to go
  bool was_preempted = false;  // it is leaving because it was suspended for others
};

struct Preemption {
  std::set<std::string> victims;  // keys of those to suspend
  // Keys of those for which room is made. Until they start, nobody behind them takes it.
  std::set<std::string> room_for;
};

// Only those of a strictly lower priority are suspended, and only if one that waits starts then:
// the lowest priority first, then who started last, and nobody whose room is not needed. Asked are
// the one that holds back others (Schedule::head), or, without one, the first kMostPreemptors that
// were not admitted. As a function of its arguments it gives the same answer while the victims go,
// so nothing of it is stored. O(n log n) in `holders`.
Preemption preempt(Schedule& schedule, const Pending& pending, std::vector<Holder> holders);

inline constexpr std::size_t kMostPreemptors = 10;

}  // namespace mc::controller::queueing
