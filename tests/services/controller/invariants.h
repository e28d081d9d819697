#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "services/controller/cache/caches.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// Checks every request of the controller, and the world between its reconciles, and reports
// violated invariants.
class InvariantChecker {
 public:
  // Listens to world.on_write and sets world.on_request. Both arguments must outlive it.
  InvariantChecker(World& world, const Caches& caches);

  // A reconcile begins. The controller may act only on what it sees of the MiniCluster now.
  void begin_reconcile();
  // Checks what holds at any time: the end of a MiniCluster never changes.
  void look();
  // Checks that the world matches the MiniCluster, once no event is pending and no reconcile is
  // due. `quota`: what the limits of a FluxSetup say about it.
  void look_at_rest(const QuotaReservation& quota);

  void blame(const std::string& what);
  // The MiniCluster as the reconcile saw it; null without one.
  const json& view() const { return view_; }

  // True if a required name is taken, so that the reconcile is retried.
  bool has_obstacle() const;

  // The conditions in all statuses so far, as `Type Reason`: how far the story came.
  const std::set<std::string>& told() const { return told_; }

  // The violations, one sentence each.
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void judge_request(const kube::Request& request);
  void judge_write(const Write& write);
  void judge_target(const Write& write);
  void judge_create(const Write& write);
  void judge_job_patch(const Write& write);
  void judge_removal(const Write& write);
  void judge_status(const Write& write);
  void judge_end(const json& end);
  void judge_event(const json& event);
  bool is_ours(const json& object) const;
  void look_at_objects(const json& cluster, const Observed& seen);
  void look_at_job(const json& job, const json& cluster, const Observed& seen);
  void look_at_size(const json& job, const json& cluster, const Observed& seen);
  void look_at_quota(const Job& job, const json& cluster, const QuotaReservation& quota);
  void look_for_an_untold_lead(const json& job, const Observed& seen);
  void look_for_a_hang(const json& job);
  bool may_lead_end(const json& job) const;

  World& world_;
  const Caches& caches_;
  const std::string key_;
  json view_;                                     // the MiniCluster as the reconcile saw it
  std::set<std::string> seen_as_ours_;            // by uid
  bool finished_ = false;                         // it really was when the reconcile began
  json before_, after_;                           // conditions of the last status write
  std::map<std::string, std::string> ends_;       // the last condition, by uid of the MiniCluster
  std::map<std::string, std::int64_t> ceilings_;  // by uid of the Job
  std::set<std::string> told_;
  std::map<std::string, std::string> events_;  // name -> reason
  std::vector<std::string> faults_;
};

}  // namespace mc::controller::test
