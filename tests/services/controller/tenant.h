#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "tests/services/controller/actors.h"
#include "tests/services/controller/invariants.h"
#include "tests/services/controller/late_watches.h"
#include "tests/services/controller/quota_invariants.h"
#include "tests/services/controller/reconciler.h"
#include "tests/services/controller/simulated_queueing.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// One MiniCluster in a namespace of its own, with everyone who acts there, and its reconciles.
class Tenant {
 public:
  // `with_limits`: a FluxSetup may limit it. `meanwhile` happens during some requests. All
  // references must outlive it.
  Tenant(std::uint64_t seed, unsigned number, bool with_limits, Timeline& timeline,
         SimulatedQueueing& queueing, QuotaInvariants& quota, std::function<void()> meanwhile);

  // Anything happens.
  void step();
  // As another worker may do at any time; nothing while one reconciles.
  void reconcile();
  // Checks what holds at any time.
  void look() { invariants.look(); }

  // A part of coming to rest: only the Job controller acts, nothing fails, all events are
  // delivered, and the requested reconciles finish the work.
  void work_off();
  // Checks a MiniCluster that has come to rest. One more reconcile changes nothing, and sends no
  // request unless there is an obstacle.
  void look_at_rest();

  World world;
  LateWatches watches;
  Actors actors;
  InvariantChecker invariants;

 private:
  bool is_due() const;
  void reconcile_once();

  const std::string key_;
  SimulatedQueueing& queueing_;
  QuotaInvariants& quota_;
  Reconciler reconciler_{world};
  std::optional<std::chrono::steady_clock::time_point> again_at_;
  bool reconciles_ = false;  // now
};

}  // namespace mc::controller::test
