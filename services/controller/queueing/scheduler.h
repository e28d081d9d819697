#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/quantity.h"
#include "services/controller/queueing/limits.h"
#include "services/controller/queueing/pending.h"
#include "services/controller/queueing/usage.h"

// Who of those that wait is admitted, and why the others wait. Pure.
namespace mc::controller::queueing {

// The latest end of one that starts now; nullopt if that is unknown or beyond what Time holds.
std::optional<Time> end_of(const Waiting& waiting, Time now);

// What is missing of a limit: the demand does not fit beside what is used.
struct Shortage {
  enum class Scope { Cluster, Namespace };
  Scope scope;
  std::string resource;
  api::Quantity hard;     // the limit
  api::Quantity missing;  // how much less must be used for the demand to fit

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

// What is left of the limits, beside what is used and what was taken since.
class Snapshot {
 public:
  // Both must outlive it, without a change.
  Snapshot(const Limits& limits, const Usage& usage);

  // The first limit that `demand` more in `ns` would pass, the namespace's before the cluster's,
  // then by the resource's name; nullopt if it fits. A resource of which nothing is demanded cannot
  // lack.
  std::optional<Shortage> shortage(std::string_view ns, const api::Amounts& demand);
  // The same if nothing were used: what can never fit.
  std::optional<Shortage> never_fits(std::string_view ns, const api::Amounts& demand);
  // It is used from now on.
  void take(std::string_view ns, const api::Amounts& amounts);
  // It is not used any more.
  void give(std::string_view ns, const api::Amounts& amounts);

 private:
  friend class Schedule;
  struct OfNamespace {
    api::Amounts hard;  // the strictest of its limits; empty: not limited
    api::Amounts left;  // less than 0 if more is used
    // What Schedule knows of those that wait here: the first that was refused, if the namespace is
    // limited, and what is left without what that one needs.
    const Waiting* first = nullptr;
    api::Amounts beyond;
  };
  OfNamespace& of(std::string_view ns);

  const Limits* limits_;
  const Usage* usage_;
  api::Amounts left_;  // of the cluster's limit
  std::map<std::string, OfNamespace, std::less<>> namespaces_;
};

// What is kept free for the head of EASYBackfill.
struct BackfillReservation {
  // When the head starts at the latest; Time::max() if the known ends do not leave enough for it.
  Time start = Time::max();
  // What is left at that time once the head has started.
  api::Amounts cluster_extra, namespace_extra;
};

// Why one waits.
struct Reason {
  // What is missing now; nullopt if it would fit and waits only for those before it.
  std::optional<Shortage> shortage;
  // The key of one that it may not pass; empty if it is only what is missing that holds it back.
  std::string behind;
  std::optional<Time> promised;  // EASYBackfill: the head starts then or earlier

  friend bool operator==(const Reason&, const Reason&) = default;
};

// A decision; schedule() makes it.
class Schedule {
 public:
  // In the order in which they start.
  const std::vector<const Waiting*>& admitted() const { return admitted_; }
  // The first that waits for the cluster's limit, if it holds back others; null: none.
  const Waiting* head() const { return head_; }
  // EASYBackfill: the start that the head is promised. If it is in the past, something runs longer
  // than it may.
  std::optional<Time> promise() const;
  // Why one of those that wait was not admitted; nothing of one that was.
  Reason reason(const Waiting& waiting);
  // Whether it waits for another, even if there is room.
  bool is_held_back(const Waiting& waiting);
  // Whether what it needs counts as taken while it waits (`room_for` below).
  bool keeps_room_for(const Waiting& waiting) const;
  // What is left once those admitted have started.
  Snapshot& left() { return left_; }

 private:
  friend Schedule schedule(Time, const Limits&, const Usage&, const Pending&, const Waiting*,
                           const std::set<std::string>*);
  Schedule(Time now, Strategy strategy, Snapshot left, const std::set<std::string>* room_for)
      : now_(now), strategy_(strategy), left_(std::move(left)), room_for_(room_for) {}

  using IsDone = std::function<bool(const Waiting&)>;

  void decide(const Pending& pending, const Waiting* promised);
  void consider_each(const Pending& pending, const IsDone& is_done);
  void consider_kinds(const Pending& pending, const IsDone& is_done);
  bool consider(const Waiting& waiting);
  bool keep_promise(const Waiting& promised);
  bool can_start(const Waiting& waiting);
  void admit(const Waiting& waiting);
  void refuse(const Waiting& waiting);
  void reserve(const Waiting& head);
  bool may_pass_first(const Waiting& waiting, const Snapshot::OfNamespace& ns) const;
  bool may_pass_head(const Waiting& waiting) const;
  bool ends_before_head(const Waiting& waiting) const;

  Time now_;
  Strategy strategy_;
  Snapshot left_;
  const std::set<std::string>* room_for_;  // null: nobody
  std::vector<const Waiting*> admitted_;
  const Waiting* head_ = nullptr;
  BackfillReservation reservation_;  // EASYBackfill, if there is a head
};

// The decision: a function of its arguments, with no memory. All must outlive the result, without a
// change. `promised`, one of `pending` or null: EASYBackfill's head that was promised a start in
// the last decision. It keeps the promise: nobody, not even one of higher priority that comes
// later, delays it, but one of higher priority that `overrides`. One that can never fit holds up
// nobody. Rules for the others, in the order of the queue:
// - One that does not fit into its namespace's limit now waits for that limit, and holds back at
//   most those of its namespace: StrictFIFO all of them, EASYBackfill those that would take what it
//   needs.
// - One that fits into its namespace's limit but not into the cluster's is the head, unless there
//   is one. StrictFIFO: nobody behind it starts. EASYBackfill: the one that was promised a start
//   remains the head until it starts; others start if they end before that time at the latest, or
//   fit into what is left beside the head at that time. If the known ends do not leave enough for
//   the head, it is promised nothing; others start if they end at a known time, or take nothing
//   that it needs.
// BestEffortFIFO: nobody behind one of `room_for` (keys; null: none), for which others are
// suspended (preemption.h), takes what that one needs. With n that wait and r that run it costs
// O(n), EASYBackfill O(n + r); if those that wait are of few kinds, k, and s start, only
// O((k + s) log k), EASYBackfill as much + r.
Schedule schedule(Time now, const Limits& limits, const Usage& usage, const Pending& pending,
                  const Waiting* promised = nullptr,
                  const std::set<std::string>* room_for = nullptr);

}  // namespace mc::controller::queueing
