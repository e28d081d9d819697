#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "services/controller/queueing/workload.h"

namespace mc::controller::queueing {

// An admission that is written down but not yet seen in the Job: every leader lets the Job run with
// this size, unless the limits have changed and it no longer fits. Resources are not recorded: the
// Job has them, and their list has no limit.
struct Entry {
  std::string key;        // namespace/name of the MiniCluster
  std::string job;        // the uid of its Job
  std::int64_t size = 0;  // pods
  Time admitted = {};     // when; 0 of an entry of a version that did not say it

  friend bool operator==(const Entry&, const Entry&) = default;
};

// Admissions under way at most, so that the admission log stays below 512 KiB; a ConfigMap may have
// 1 MiB.
inline constexpr std::size_t kMostUnderWay = 1000;

// One that is under way.
struct Admission {
  Entry entry;
  std::optional<Time> lapses = {};  // nobody wants it any more, or it is withheld
  bool is_withheld = false;
};

// What it may take beside what its workload uses: all that the entry allows, also after somebody
// made it smaller, because it may grow again.
api::Amounts amounts_of(const Workload& workload, const Entry& entry);

// The admissions under way, one for each MiniCluster. No clock.
class Admissions {
 public:
  // `logged`: of the admission log.
  explicit Admissions(std::vector<Entry> logged = {});

  void add(const Entry& entry);
  // Ends that of `key`, if it is over: the Job has done what it allows, nothing can come of it any
  // more, or it has lapsed.
  void settle(const std::string& key, const Workload& workload, Time now);
  // From now on that of `key`, which must be under way, is withheld or is not. Returns whether that
  // is a change.
  bool withhold(const std::string& key, bool is_withheld);

  // Null: none is under way.
  const Admission* find(const std::string& key) const;
  // What the Job of `key` may do. Null without an admission, and while it is withheld.
  const Entry* granted(const std::string& key) const;
  const std::unordered_map<std::string, Admission>& all() const { return by_key_; }
  std::size_t size() const { return by_key_.size(); }

  // When the next one lapses; nothing: none will.
  std::optional<Time> next() const;
  // The keys of those that settle() would end now.
  std::vector<std::string> lapsed(Time now) const;

  // The uids of the Jobs whose entries are over and still in the admission log.
  const std::vector<std::string>& done() const { return done_; }
  // The first `count` of done() were removed from the log; others may be over since.
  void remove_done(std::size_t count);

 private:
  std::unordered_map<std::string, Admission> by_key_;
  std::vector<std::string> done_;
};

}  // namespace mc::controller::queueing
