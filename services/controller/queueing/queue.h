#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/api/model/conditions.h"
#include "services/controller/cluster/quota_reservation.h"
#include "services/controller/queueing/admissions.h"
#include "services/controller/queueing/estimates.h"
#include "services/controller/queueing/fair_share.h"
#include "services/controller/queueing/limits.h"
#include "services/controller/queueing/preemption.h"
#include "services/controller/queueing/queue_contents.h"
#include "services/controller/queueing/run_history.h"
#include "services/controller/queueing/scheduler.h"
#include "services/controller/queueing/usage.h"
#include "services/controller/queueing/workload.h"

namespace mc::controller::queueing {

// EASYBackfill: who was promised a start. The time is not recorded: every leader computes it from
// the same ends, and the MiniCluster's status has the earliest one that it was told.
struct Promise {
  std::string key;  // namespace/name of the MiniCluster
  std::string job;  // the uid of its Job

  friend bool operator==(const Promise&, const Promise&) = default;
};

// A write of the admission log.
struct Batch {
  std::vector<Entry> add = {};
  std::vector<std::string> remove = {};  // uids of Jobs
  std::optional<Promise> promise = {};   // from now on
};

// What a leader knows: the workload of every MiniCluster, the admissions under way, and those that
// wait. schedule() decides about them; writing and telling is up to the caller (loop.h). No clock.
// One thread uses it; any other may ask for contents() meanwhile.
class Queue {
 public:
  // With the entries of the admission log, each of which counts from its first set() until it is
  // done, and with the promise in it. Set the workloads of all MiniClusters and of all entries
  // before the first examine().
  explicit Queue(std::vector<Entry> under_way = {}, std::optional<Promise> promise = {});

  // Without a policy no MiniCluster starts; the message of the condition is then `why`.
  void set_policy(std::optional<Policy> policy, const PriorityValues& values, std::string why);

  // The workload of a MiniCluster, as it is now.
  void set(const std::string& key, Workload workload, Time now);

  // Withholds the admissions under way that do not fit into changed limits beside what runs, the
  // last in the queue first: their MiniClusters wait again. A request to start may be on its way,
  // so they count until none can take effect any more. Those that fit again go on. Call it before
  // each decide(). Returns the keys that have a new reservation.
  std::vector<std::string> examine(Time now);

  // What to write down now: who starts or grows, which admissions are done, and who is promised a
  // start. They count and may run only after written(); until then each call answers the same
  // again.
  Batch decide(Time now);
  // Whether another than before is promised a start, or nobody any more: the batch must be written,
  // even if it is otherwise empty, before the promise is told.
  bool is_news(const Batch& batch) const { return batch.promise != written_promise_; }
  const std::optional<Promise>& written_promise() const { return written_promise_; }
  // The batch is written down. Returns the keys that have a new reservation.
  std::vector<std::string> written(const Batch& batch, Time now);

  // Decides anew who is to be suspended for others (preemption.h): their reservations say so.
  // Returns the keys that have a new reservation.
  std::vector<std::string> preempt(Time now);

  // Brings the conditions of those that wait up to date. Returns the keys whose condition changed.
  // Estimates are made anew every 10 s at most.
  std::vector<std::string> tell(Time now);
  // Whether tell() would make new estimates, because of a change or because one was wrong.
  bool is_forecast_due(Time now) const;

  QuotaReservation reservation(const std::string& key) const;

  // When something happens without an event, later than `now`: the start that EASYBackfill has
  // promised, an entry that is given up, new estimates, or another order by fair share.
  std::optional<Time> next(Time now) const;
  // Gives up the entries whose time has come.
  void give_up(Time now);

  // Including those that never fit.
  std::size_t waiting() const { return pending_.size(); }
  // As of the last tell().
  std::size_t never_fit() const { return never_fit_.size(); }
  // MiniClusters that use something, or are about to.
  std::size_t admitted() const { return usage_.size(); }
  const Usage& usage() const { return usage_; }
  const std::optional<Policy>& policy() const { return policy_; }
  // Null: the policy has none.
  const FairShare* fair_share() const { return fair_share_.get(); }
  // What the last leader knew; without fair share in the policy, nothing.
  void resume(const Uses& uses, Time now);

  // With at most `most` elements in each list. Thread-safe.
  QueueContents contents(std::size_t most, Time now) const;

 private:
  // Called with mutex_ held.
  void put(const std::string& key, Workload workload, Time now);
  void count(const std::string& key, const Workload& workload, Time now);
  void ask(const std::string& key, const Workload& workload);
  Waiting waiting_of(const std::string& key, const Workload& workload, api::Amounts demand) const;
  void wait(const std::string& key, Waiting waiting);
  void leave(const std::string& key);
  void set_fair_share();
  Account account_of(const Waiting& waiting) const { return {waiting.ns, waiting.account}; }
  void share(Time now);
  void count_shares(Time now);
  void reorder();
  std::string note_on(const Policy& policy, const Waiting& waiting, std::size_t ahead,
                      Time now) const;
  Schedule schedule(const Policy& policy, Time now) const;
  const Waiting* promised() const;
  std::vector<Holder> holders(const Policy& policy) const;
  void grow(Snapshot& left, Batch& batch, Time now) const;
  bool has_room(const Batch& batch) const;
  void promise(const Schedule& schedule, Batch& batch);
  std::optional<Time> told_promise() const;
  std::optional<Time> next_forecast() const;
  void tell_waiting(const Policy& policy, Schedule& schedule, Time now,
                    std::vector<std::string>& changed);
  bool tell_one(const Policy& policy, Schedule& schedule, const Waiting& one, std::size_t ahead,
                Time now, std::vector<std::string>& changed);
  void tell_growing(Schedule& schedule, std::vector<std::string>& changed);
  void tell(const std::string& key, api::Condition condition, std::vector<std::string>& changed);
  std::vector<QueueContents::Admitted> first_admitted(std::size_t most) const;
  std::vector<QueueContents::InQueue> first_pending(std::size_t most, Schedule& schedule) const;
  std::vector<QueueContents::Growing> first_growing(std::size_t most, Snapshot* left) const;

  // Held by every change, and by contents(): the thread that makes the changes reads without it.
  mutable std::mutex mutex_;
  std::optional<Policy> policy_;
  PriorityValues values_;
  std::string why_;
  std::unordered_map<std::string, Workload> workloads_;
  Usage usage_;
  Pending pending_;
  std::unordered_map<std::string, Pending::const_iterator> waiting_;  // by key
  std::unique_ptr<FairShare> fair_share_;                             // null: the policy has none
  bool is_shared_ = true;  // everybody who waits and runs is known to it
  // EASYBackfill: the head of the last decision, if it was promised a start, and that start.
  std::optional<Promise> promise_;
  std::optional<Time> promised_start_;
  std::optional<Promise> written_promise_;  // as the admission log has it
  RunHistory history_;
  Estimates estimates_;
  Admissions under_way_;
  std::set<std::string> preemptible_;  // those that may be suspended for others now, or were
  Preemption preemption_;
  bool is_examined_ = true;  // no admission is withheld, and the limits have not changed
  std::set<std::string> growing_;
  std::unordered_map<std::string, api::Condition> told_;
  // Keys. Of those that wait: whose condition may be another by now, those that were among the
  // first at the last tell(), and those that can never fit.
  std::set<std::string> untold_, first_told_, never_fit_;
};

}  // namespace mc::controller::queueing
