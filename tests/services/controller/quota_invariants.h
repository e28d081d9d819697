#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "services/controller/cache/caches.h"
#include "services/controller/cluster/quota_reservation.h"
#include "tests/services/controller/invariants.h"
#include "tests/services/controller/simulated_queueing.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// Checks what the limits of a FluxSetup promise, over all worlds together. Both the decisions of
// the leader and the writes of the reconciles are compared with sums that are made here.
class QuotaInvariants {
 public:
  // A MiniCluster. All must outlive this object.
  struct Member {
    std::string key;
    World* world;
    const Caches* caches;
    InvariantChecker* invariants;  // is told the faults
  };

  // Sets queueing.on_admitted.
  explicit QuotaInvariants(SimulatedQueueing& queueing);
  // Listens to the hooks of the world.
  void follow(const Member& member);

  // Around each reconcile, and what it is told.
  void begin_reconcile(const std::string& key);
  QuotaReservation told(const std::string& key);
  void end_reconcile(const std::string& key, bool done);

  // Nobody waits who could start or grow, once nothing happens any more.
  void look_at_rest() const;

 private:
  // Pods, and MiniClusters that have some.
  struct Need {
    std::int64_t pods = 0, clusters = 0;
  };

  const Member& member(const std::string& key) const;
  void note_change(const Member& of, const json& before, const json& after);
  void judge_write(const Member& of, const Write& write);
  static void judge_promise(const Member& of, const Write& write);
  void judge_start(const Member& of, const Write& write);
  void judge_suspension(const Member& of, const Write& write);
  void judge_preemption(const Member& of, const Write& write) const;
  std::int32_t priority_of(const Member& of) const;
  bool is_preemptible(const Member& of) const;
  void look_at_first(const Member& first, const Need& used) const;
  void judge_admission(const std::vector<queueing::Entry>& added);
  void judge_sum(const Member& of, bool starts) const;
  bool is_let_run(const Member& of, const json& job) const;
  Need used_by(const Member& of) const;
  Need used() const;
  Need start_of(const Member& of) const;
  Need growth_of(const Member& of) const;
  bool fits(const Need& used, const Need& more) const;
  void look_at_those_that_wait() const;

  const SimulatedQueueing& queueing_;
  std::vector<Member> members_;
  // The limits by which pods, and MiniClusters, were admitted last.
  api::Amounts last_hard_;
  std::map<std::string, QuotaReservation> told_;  // by key, in the last reconcile
  std::map<std::string, std::string> left_;       // by key: what a reconcile must not leave alone
  std::map<std::string, std::int64_t> let_run_;   // pods that our reconciles let run, by Job
  std::set<std::string> resumed_by_others_;       // Jobs
};

}  // namespace mc::controller::test
