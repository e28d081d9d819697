#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "services/controller/cache/caches.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// Looks at every request of the controller and at the world between its passes, and says what must
// never be.
class InvariantChecker {
 public:
  // Takes over world.on_write and world.on_request. Both must outlive it.
  InvariantChecker(World& world, const Caches& caches);

  // A pass begins: what the controller sees of the MiniCluster now is what it may act on.
  void begin_pass();
  // At any time: what has ended stays as it ended, until it is gone.
  void look();
  // Once nothing is on its way and no pass is due: is the world as the MiniCluster says?
  void look_at_rest();

  void blame(const std::string& what);

  // True where a name that is needed is taken, so that a pass goes on trying.
  bool has_obstacle() const;

  // What the statuses said, as `Type Reason`: how far the story came.
  const std::set<std::string>& told() const { return told_; }

  // One sentence each; empty: all is well.
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
  void look_at_job(const json& job, const json& cluster);
  void look_for_an_untold_lead(const json& job, const Observed& seen);
  void look_for_a_hang(const json& job);
  bool may_lead_end(const json& job) const;

  World& world_;
  const Caches& caches_;
  json view_;                                     // the MiniCluster as the pass saw it
  std::set<std::string> seen_as_ours_;            // by uid
  bool finished_ = false;                         // it really was when the pass began
  json before_, after_;                           // conditions of the last status write
  std::map<std::string, std::string> ends_;       // by uid of the MiniCluster, its last condition
  std::map<std::string, std::int64_t> ceilings_;  // by uid of the Job
  std::set<std::string> told_;
  std::map<std::string, std::string> events_;  // the reason of each name
  std::vector<std::string> faults_;
};

}  // namespace mc::controller::test
