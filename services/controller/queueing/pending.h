#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/api/model/quantity.h"
#include "services/controller/cluster/types.h"

// Those that wait, in the order of the queue. Pure.
namespace mc::controller::queueing {

// A MiniCluster that waits for quota.
struct Waiting {
  std::string ns, name, uid;
  std::int32_t priority = 0;
  Time created;
  api::Amounts demand;
  // How long it counts at most once it starts: deadlineSeconds + grace, and what else the caller
  // adds for the time until its Job runs. nullopt: unknown, so no start is promised on its end.
  std::optional<std::chrono::seconds> longest;
  // It may start before one of lower priority that was promised a start, and delay it.
  bool overrides = false;
  // Fair share (fair_share.h): whose use it will be, and how much earlier than it was created its
  // place in the queue is. 0 without fair share.
  std::string account = {};
  std::chrono::seconds ahead{0};

  std::string key() const { return ns + "/" + name; }
  friend bool operator==(const Waiting&, const Waiting&) = default;
};

// The order of the queue: higher priority, earlier creation (less what fair share puts it ahead),
// name, namespace.
struct Before {
  bool operator()(const Waiting& a, const Waiting& b) const;
  bool operator()(const Waiting* a, const Waiting* b) const { return (*this)(*a, *b); }
};

// What decides whether one fits: those of the same kind fit or do not fit alike.
struct Kind {
  std::string ns;
  api::Amounts demand;
  std::optional<std::chrono::seconds> longest;

  friend auto operator<=>(const Kind&, const Kind&) = default;
};

// All that wait, in the order of the queue, and the same by their kinds. Beside the promise to a
// head it is all that lasts from one decision to the next.
class Pending {
 public:
  using All = std::set<Waiting, Before>;
  using const_iterator = All::const_iterator;
  using OfKind = std::set<const Waiting*, Before>;

  Pending() = default;
  Pending(std::initializer_list<Waiting> all) : Pending(all.begin(), all.end()) {}
  template <typename Iterator>
  Pending(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  Pending(const Pending&) = delete;  // kinds_ refers to all_
  Pending& operator=(const Pending&) = delete;
  Pending(Pending&&) = default;
  Pending& operator=(Pending&&) = default;

  // As of a std::set.
  std::pair<const_iterator, bool> insert(Waiting waiting);
  void erase(const_iterator one);
  void erase(const Waiting& waiting);
  const_iterator find(const Waiting& waiting) const { return all_.find(waiting); }
  const_iterator begin() const { return all_.begin(); }
  const_iterator end() const { return all_.end(); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }

  // None is empty.
  const std::map<Kind, OfKind>& kinds() const { return kinds_; }

 private:
  All all_;
  std::map<Kind, OfKind> kinds_;
};

}  // namespace mc::controller::queueing
