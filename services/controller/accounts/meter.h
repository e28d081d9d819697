#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "services/controller/cluster/types.h"

// What the pods of each run of a MiniCluster, which is one Job, have used so far. Pure.
namespace mc::controller::accounts {

// A run that has ended, as it was seen last.
struct EndedRun {
  Shared<Job> job;
  Shared<MiniCluster> cluster;  // null: it was never seen
  std::optional<Time> placed;   // when the pods that the command needs first had nodes
  std::optional<Time> gone;     // the Job is
  Time end;                     // until then its pods count
  std::int64_t pod_seconds = 0;
  std::int64_t preemptions = 0;
  std::int64_t lost_pod_seconds = 0;  // as in Use (accounts.h)
  // It had ended before this process led, so that another may have recorded it.
  bool may_be_there = false;
};

// Whether no pod runs any more for the Job, nor ever will.
bool is_over(const Job& job);

// Integrates the pods of each Job over time, and knows which Jobs have ended. What pods did that
// were gone before the first update is unknown. Keys are those of the MiniCluster and of its Job,
// which have the same name.
class Meter {
 public:
  // The last states before and after a change; null: not there. Each returns true if a run of that
  // key may be one to take(). `by_spec`: the spec of the MiniCluster suspends it.
  bool update(const std::string& key, const Shared<Job>& before, const Shared<Job>& after,
              bool by_spec, Time now);
  bool update(const std::string& key, const Shared<MiniCluster>& before,
              const Shared<MiniCluster>& after);
  // A pod of the Job with this uid.
  void update(const std::string& key, const std::string& job, const Pod* before, const Pod* after,
              Time now);

  // The runs of that key that have ended and are not taken yet. `cluster`: as it is now; null: it
  // is gone. A run waits for the end of a MiniCluster that is there, which says how it ended.
  std::vector<EndedRun> take(const std::string& key, const Shared<MiniCluster>& cluster, Time now);

  // This process leads from now on, in this namespace or, "", in all. The keys of runs that have
  // ended already.
  std::vector<std::string> lead(const std::string& ns = "");

  std::size_t size() const { return runs_.size(); }

 private:
  // Jobs that are gone and not taken yet. A process that does not lead takes none, and keeps these.
  static constexpr std::size_t kMostGone = 2000;

  struct Run {
    std::string uid;
    Shared<Job> job;  // null: only pods were seen
    Shared<MiniCluster> cluster;
    std::optional<Time> gone, placed, last_placed;
    bool has_started = false;
    bool may_be_there = false, is_taken = false;
    std::int64_t open = 0;                // pods with a node that have not ended
    std::int64_t open_since = 0;          // the sum of the times since which they have one
    std::int64_t succeeded = 0;           // pods
    std::int64_t closed_pod_seconds = 0;  // of pods that have ended
    std::int64_t preemptions = 0;
    // Since its last start: it was suspended for others, and pods had to end jobs.
    bool is_preempted = false, had_to_end_jobs = false;
    // Of pods: before its last start, of the starts that a preemption ended, and of those of them
    // in which jobs had to be ended.
    std::int64_t seconds_before = 0, preempted_seconds = 0, unsaved_seconds = 0;
  };
  using OfKey = std::vector<Run>;  // mostly one

  Run* find(const std::string& key, const std::string& uid);  // null if it is not known
  Run& run_of(const std::string& key, const std::string& uid);
  void forget(const std::string& key, const std::string& uid);
  void keep_gone(const std::string& key, const std::string& uid);
  static void settle(Run& run);
  static std::int64_t seconds_until(const Run& run, Time now);
  static void end_start(Run& run, Time now);
  static EndedRun ended(Run& run, const Shared<MiniCluster>& cluster, Time now);

  std::unordered_map<std::string, OfKey> runs_;
  std::deque<std::pair<std::string, std::string>> gone_;  // key and uid, the oldest first
};

}  // namespace mc::controller::accounts
