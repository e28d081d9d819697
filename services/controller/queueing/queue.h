#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "services/controller/cluster/quota_reservation.h"
#include "services/controller/queueing/entry.h"
#include "services/controller/queueing/incremental.h"
#include "services/controller/queueing/policy.h"
#include "services/controller/queueing/workload.h"

namespace mc::controller::queueing {

// Admissions under way at most, so that the workspace stays below 512 KiB; a ConfigMap may have 1
// MiB.
inline constexpr std::size_t kMostUnderWay = 1000;

// A write of the workspace.
struct Batch {
  std::vector<Entry> add;
  std::vector<std::string> remove;  // uids of Jobs
};

// What a leader knows: the claim of every MiniCluster, the admissions under way, and the queue. It
// decides; writing and telling is up to the caller (admission.h). Not thread safe, no clock.
class Ledger {
 public:
  // With the entries of the workspace, each of which counts from its first set() until it is done.
  // Set the claims of all MiniClusters and of all entries before the first decide().
  explicit Ledger(std::vector<Entry> under_way = {});

  // Without rules no MiniCluster starts; the message of the condition is then `why`.
  void set_rules(std::optional<Rules> rules, const PriorityValues& values, std::string why);

  // The claim of a MiniCluster, as it is now.
  void set(const std::string& key, Claim claim, queueing::Time now);

  // What to write down now: who starts or grows, and which admissions are done. Those who start
  // count from now on. They may run only after written().
  Batch decide(queueing::Time now);
  // The batch is written down. Returns the keys that have a new verdict.
  std::vector<std::string> written(const Batch& batch, queueing::Time now);

  // Brings the conditions of those that wait up to date. Returns the keys whose condition changed.
  std::vector<std::string> tell(queueing::Time now);

  QuotaReservation verdict(const std::string& key) const;

  // When something happens without an event, later than `now`: the start that EASYBackfill has
  // promised, or an entry that is given up.
  std::optional<queueing::Time> next(queueing::Time now) const;
  // Gives up the entries whose time has come.
  void give_up(queueing::Time now);

  // Including those that never fit.
  std::size_t waiting() const { return waiting_.size(); }
  // As of the last tell().
  std::size_t never_fit() const { return never_fit_; }
  // MiniClusters that use something, or are about to.
  std::size_t admitted() const { return admitted_.size(); }
  const queueing::Usage& usage() const { return queue_.usage(); }
  const std::optional<Rules>& rules() const { return rules_; }

 private:
  struct UnderWay {
    Entry entry;
    std::optional<queueing::Time> lapses;  // nobody wants it any more
  };

  void settle(const std::string& key, const Claim& claim, queueing::Time now);
  void count(const std::string& key, const Claim& claim, queueing::Time now);
  void ask(const std::string& key, const Claim& claim);
  void grow(const Rules& rules, Batch& batch);
  bool has_room(const Batch& batch) const;
  api::Condition words(const std::string& key, std::size_t place, queueing::Time now);
  bool is_told(const std::string& key, api::Condition condition);

  std::optional<Rules> rules_;
  PriorityValues values_;
  std::string why_;
  queueing::Queue queue_;
  std::unordered_map<std::string, Claim> claims_;
  std::unordered_map<std::string, UnderWay> under_way_;  // one for each MiniCluster
  std::vector<std::string> done_;                        // Jobs whose entries are to be removed
  std::set<std::string> waiting_, growing_, admitted_;
  std::size_t never_fit_ = 0;
  std::unordered_map<std::string, api::Condition> told_;
};

}  // namespace mc::controller::queueing
