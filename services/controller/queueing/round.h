#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "services/controller/queueing/scheduler.h"

namespace mc::controller::queueing {

// What is kept free for the head of EASYBackfill.
class Reservation {
 public:
  // For `head`, which does not fit into both of `cluster_left` and `namespace_left`: what is left
  // of the limits now. A running one whose end has passed is expected to end at any moment.
  Reservation(const Waiting& head, api::Amounts cluster_left, api::Amounts namespace_left,
              const Usage& usage);

  // When the head starts at the latest; nullopt if the known ends do not leave enough for it.
  std::optional<Time> start() const;

  // Whether the head starts no later if `other` starts now.
  bool allows(const Waiting& other, Time now) const;
  // `other`, which is allowed, starts now.
  void take(const Waiting& other, Time now);

 private:
  bool ends_before(const Waiting& other, Time now) const;

  std::string ns_;
  Time start_ = Time::max();
  // What is left at that time once the head has started.
  api::Amounts cluster_extra_, namespace_extra_;
};

// One round of decisions: those that wait are asked one after another, in the order of the queue.
// It stays valid while nothing changes but its own starts, and arrivals behind those who hold
// others back. What it was asked must live as long, unless it started.
class Round {
 public:
  // Both must outlive it. It counts in `usage` who starts.
  Round(const Limits& limits, Usage& usage);

  // Asks the next. True: it starts. False: it waits, and perhaps holds others back.
  bool visit(const Waiting& waiting, Time now);

  // EASYBackfill: makes the one with a promise the head, before any other is asked, unless the
  // known ends leave no time for it any more. True: it starts.
  bool keep_promise(const Waiting& promised, Time now);

  // Tells it the first that waits in a namespace, if that one is not asked because it cannot start.
  void hold(const Waiting& first);

  // Whether one would start if it were asked. During a round, false remains false.
  bool can_start(const Waiting& waiting, Time now);

  const Waiting* head() const { return head_; }  // nullptr: none
  std::optional<Time> promise() const;           // to the head

  // Why one waits that was refused; without its place.
  Answer answer(const Waiting& waiting, Time now);

 private:
  // A namespace.
  struct Lane {
    api::Amounts hard, left;
    const Waiting* first = nullptr;  // the first that was refused, if the namespace is limited
    api::Amounts beyond;             // left without what `first` needs
  };

  Lane& lane_of(const std::string& ns);
  void start(const Waiting& waiting, Time now);
  void make_head(const Waiting& waiting);
  bool may_pass_first(const Waiting& waiting, const Lane& lane) const;
  bool may_pass_head(const Waiting& waiting, Time now) const;

  const Limits& limits_;
  Usage& usage_;
  api::Amounts left_;  // of the cluster's limit; less than 0 if more is used
  std::map<std::string, Lane, std::less<>> lanes_;
  const Waiting* head_ = nullptr;
  std::optional<Reservation> reservation_;  // EASYBackfill: for the head
};

}  // namespace mc::controller::queueing
