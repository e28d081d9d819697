#include "services/controller/queueing/scheduler.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace mc::controller::queueing {
namespace {

using api::Amounts;
using api::Quantity;

// So many must wait for each kind that going by kinds, in a heap, costs less than looking at each.
constexpr std::size_t kFewKinds = 16;

// Only for the resources in `left`, which are limited.
void take_from(Amounts& left, const Amounts& amounts) {
  for (auto& [name, amount] : left) {
    if (const auto taken = amounts.find(name); taken != amounts.end()) amount -= taken->second;
  }
}

void give_back(Amounts& left, const Amounts& amounts) {
  for (auto& [name, amount] : left) {
    if (const auto given = amounts.find(name); given != amounts.end()) amount += given->second;
  }
}

// What is left of the first resource of which `demand` takes more; nullptr if it fits.
const Amounts::value_type* lacking(const Amounts& demand, const Amounts& left) {
  for (const auto& entry : left) {
    const auto needed = demand.find(entry.first);
    if (needed == demand.end() || needed->second <= Quantity()) continue;
    if (needed->second > entry.second) return &entry;
  }
  return nullptr;
}

bool fits(const Amounts& demand, const Amounts& left) { return lacking(demand, left) == nullptr; }

Amounts left_of(const Amounts& hard, const Amounts& used) {
  Amounts left = hard;
  take_from(left, used);
  return left;
}

std::optional<Shortage> shortage_of(Shortage::Scope scope, const Amounts& hard, const Amounts& left,
                                    const Amounts& demand) {
  const auto* const found = lacking(demand, left);
  if (found == nullptr) return std::nullopt;
  const auto& [resource, amount] = *found;
  return Shortage{scope, resource, hard.find(resource)->second,
                  demand.find(resource)->second - amount};
}

Amounts strictest(const Limits& limits, std::string_view ns) {
  Amounts out;
  const auto found = limits.namespaces.find(ns);
  if (found == limits.namespaces.end()) return out;
  for (const Amounts& hard : found->second) {
    for (const auto& [name, amount] : hard) {
      const auto [known, added] = out.emplace(name, amount);
      if (!added) known->second = std::min(known->second, amount);
    }
  }
  return out;
}

}  // namespace

std::optional<Time> end_of(const Waiting& waiting, Time now) {
  if (!waiting.longest || *waiting.longest >= Time::max() - now) return std::nullopt;
  return now + *waiting.longest;
}

Snapshot::Snapshot(const Limits& limits, const Usage& usage)
    : limits_(&limits), usage_(&usage), left_(left_of(limits.hard, usage.cluster())) {}

std::optional<Shortage> Snapshot::shortage(std::string_view ns, const Amounts& demand) {
  const OfNamespace& here = of(ns);
  auto found = shortage_of(Shortage::Scope::Namespace, here.hard, here.left, demand);
  if (found) return found;
  return shortage_of(Shortage::Scope::Cluster, limits_->hard, left_, demand);
}

std::optional<Shortage> Snapshot::never_fits(std::string_view ns, const Amounts& demand) {
  const OfNamespace& here = of(ns);
  auto found = shortage_of(Shortage::Scope::Namespace, here.hard, here.hard, demand);
  if (found) return found;
  return shortage_of(Shortage::Scope::Cluster, limits_->hard, limits_->hard, demand);
}

void Snapshot::take(std::string_view ns, const Amounts& amounts) {
  OfNamespace& here = of(ns);
  take_from(left_, amounts);
  take_from(here.left, amounts);
  take_from(here.beyond, amounts);
}

void Snapshot::give(std::string_view ns, const Amounts& amounts) {
  OfNamespace& here = of(ns);
  give_back(left_, amounts);
  give_back(here.left, amounts);
  give_back(here.beyond, amounts);
}

Snapshot::OfNamespace& Snapshot::of(std::string_view ns) {
  const auto known = namespaces_.find(ns);
  if (known != namespaces_.end()) return known->second;
  OfNamespace made;
  made.hard = strictest(*limits_, ns);
  made.left = left_of(made.hard, usage_->in(ns));
  return namespaces_.emplace(ns, std::move(made)).first->second;
}

Schedule schedule(Time now, const Limits& limits, const Usage& usage, const Pending& pending,
                  const Waiting* promised, const std::set<std::string>* room_for) {
  Schedule out(now, limits.strategy, Snapshot(limits, usage), room_for);
  out.decide(pending, promised);
  return out;
}

void Schedule::decide(const Pending& pending, const Waiting* promised) {
  const bool has_promise = promised != nullptr && strategy_ == Strategy::EASYBackfill;
  const auto comes_first = [&](const Waiting& one) {
    return has_promise && one.overrides && one.priority > promised->priority;
  };
  if (has_promise) {
    for (const Waiting& one : pending) {
      if (one.priority <= promised->priority) break;
      if (comes_first(one)) consider(one);
    }
  }
  const bool is_kept = has_promise && head_ == nullptr && keep_promise(*promised);
  const auto is_done = [&](const Waiting& one) {
    return (is_kept && &one == promised) || comes_first(one);
  };
  const bool is_room_kept = room_for_ != nullptr && !room_for_->empty();
  if (is_room_kept || pending.kinds().size() * kFewKinds > pending.size()) {
    consider_each(pending, is_done);
  } else {
    consider_kinds(pending, is_done);
  }
}

void Schedule::consider_each(const Pending& pending, const IsDone& is_done) {
  for (const Waiting& one : pending) {
    if (is_done(one) || consider(one)) continue;
    if (strategy_ == Strategy::StrictFIFO && head_ != nullptr) return;
  }
}

// In the same order, without those of whose kind one was refused: what is left only becomes less,
// and who may be passed only fewer, so they would be refused, too, and would hold back nobody whom
// that one does not.
void Schedule::consider_kinds(const Pending& pending, const IsDone& is_done) {
  using Rest = std::pair<Pending::OfKind::const_iterator, Pending::OfKind::const_iterator>;
  const auto comes_later = [](const Rest& a, const Rest& b) {
    return Before()(*b.first, *a.first);
  };
  std::vector<Rest> rests;
  rests.reserve(pending.kinds().size());
  for (const auto& [unused, all] : pending.kinds()) rests.emplace_back(all.begin(), all.end());
  std::priority_queue next(comes_later, std::move(rests));
  while (!next.empty()) {
    Rest rest = next.top();
    next.pop();
    const Waiting& one = **rest.first;
    if (is_done(one) || consider(one)) {
      if (++rest.first != rest.second) next.push(rest);
    } else if (strategy_ == Strategy::StrictFIFO && head_ != nullptr) {
      return;
    }
  }
}

// Whether it starts.
bool Schedule::consider(const Waiting& waiting) {
  const bool starts = can_start(waiting);
  if (starts) {
    admit(waiting);
  } else {
    refuse(waiting);
  }
  return starts;
}

// Makes it the head, before any other is asked, unless the known ends leave no time for it any
// more. True: it starts.
bool Schedule::keep_promise(const Waiting& promised) {
  const auto lacks = left_.shortage(promised.ns, promised.demand);
  if (!lacks) {
    admit(promised);
    return true;
  }
  if (left_.never_fits(promised.ns, promised.demand)) return false;
  reserve(promised);
  if (!promise()) head_ = nullptr;  // the order decides who is the head
  return false;
}

bool Schedule::can_start(const Waiting& waiting) {
  if (!fits(waiting.demand, left_.left_)) return false;
  const auto& ns = left_.of(waiting.ns);
  return fits(waiting.demand, ns.left) && may_pass_first(waiting, ns) && may_pass_head(waiting);
}

void Schedule::admit(const Waiting& waiting) {
  if (head_ != nullptr && !ends_before_head(waiting)) {
    take_from(reservation_.cluster_extra, waiting.demand);
    if (waiting.ns == head_->ns) take_from(reservation_.namespace_extra, waiting.demand);
  }
  left_.take(waiting.ns, waiting.demand);
  admitted_.push_back(&waiting);
}

// It waits, and perhaps holds others back.
void Schedule::refuse(const Waiting& waiting) {
  if (keeps_room_for(waiting)) left_.take(waiting.ns, waiting.demand);
  if (strategy_ == Strategy::BestEffortFIFO) return;
  auto& ns = left_.of(waiting.ns);
  const bool may_be_first = ns.first == nullptr && !ns.hard.empty();
  const bool may_be_head = head_ == nullptr && fits(waiting.demand, ns.left) &&
                           may_pass_first(waiting, ns) && !fits(waiting.demand, left_.left_);
  if (!may_be_first && !may_be_head) return;
  if (left_.never_fits(waiting.ns, waiting.demand)) return;
  if (may_be_head) reserve(waiting);
  if (may_be_first) {
    ns.first = &waiting;
    ns.beyond = ns.left;
    take_from(ns.beyond, waiting.demand);
  }
}

// It is the head. A running one whose end has passed is expected to end at any moment.
void Schedule::reserve(const Waiting& head) {
  head_ = &head;
  if (strategy_ != Strategy::EASYBackfill) return;
  reservation_ = {Time::max(), left_.left_, left_.of(head.ns).left};
  std::multimap<Time, const Waiting*> started;
  for (const Waiting* one : admitted_) {
    if (const auto end = end_of(*one, now_)) started.emplace(*end, one);
  }
  const auto give = [&](const std::string& ns, const Amounts& amounts) {
    give_back(reservation_.cluster_extra, amounts);
    if (ns == head.ns) give_back(reservation_.namespace_extra, amounts);
  };
  const Usage::ByEnd& running = left_.usage_->by_end();
  auto next = running.begin();
  auto next_started = started.begin();
  while (next != running.end() || next_started != started.end()) {
    // What ends at a time ends at once.
    Time time = Time::max();
    if (next != running.end()) time = next->first;
    if (next_started != started.end()) time = std::min(time, next_started->first);
    for (; next != running.end() && next->first == time; ++next) {
      give(next->second->ns, next->second->amounts);
    }
    for (; next_started != started.end() && next_started->first == time; ++next_started) {
      give(next_started->second->ns, next_started->second->demand);
    }
    if (!fits(head.demand, reservation_.cluster_extra)) continue;
    if (!fits(head.demand, reservation_.namespace_extra)) continue;
    reservation_.start = time;
    break;
  }
  take_from(reservation_.cluster_extra, head.demand);
  take_from(reservation_.namespace_extra, head.demand);
}

std::optional<Time> Schedule::promise() const {
  const bool is_known =
      strategy_ == Strategy::EASYBackfill && head_ != nullptr && reservation_.start != Time::max();
  return is_known ? std::optional(reservation_.start) : std::nullopt;
}

bool Schedule::is_held_back(const Waiting& waiting) {
  return !may_pass_head(waiting) || !may_pass_first(waiting, left_.of(waiting.ns));
}

Reason Schedule::reason(const Waiting& waiting) {
  Reason out;
  if (std::ranges::find(admitted_, &waiting) != admitted_.end()) return out;
  const bool is_taken = keeps_room_for(waiting);
  if (is_taken) left_.give(waiting.ns, waiting.demand);
  out.shortage = left_.shortage(waiting.ns, waiting.demand);
  if (is_taken) left_.take(waiting.ns, waiting.demand);
  const auto& ns = left_.of(waiting.ns);
  if (!may_pass_head(waiting)) {
    out.behind = head_->key();
  } else if (!may_pass_first(waiting, ns)) {
    out.behind = ns.first->key();
  }
  if (head_ == &waiting) out.promised = promise();
  return out;
}

bool Schedule::may_pass_first(const Waiting& waiting, const Snapshot::OfNamespace& ns) const {
  if (ns.first == nullptr || ns.first == &waiting) return true;
  return strategy_ == Strategy::EASYBackfill && fits(waiting.demand, ns.beyond);
}

// Whether the head starts no later if it starts now.
bool Schedule::may_pass_head(const Waiting& waiting) const {
  if (head_ == nullptr || head_ == &waiting) return true;
  if (strategy_ == Strategy::StrictFIFO) return Before()(waiting, *head_);
  if (ends_before_head(waiting)) return true;
  return fits(waiting.demand, reservation_.cluster_extra) &&
         (waiting.ns != head_->ns || fits(waiting.demand, reservation_.namespace_extra));
}

bool Schedule::keeps_room_for(const Waiting& waiting) const {
  return strategy_ == Strategy::BestEffortFIFO && room_for_ != nullptr &&
         room_for_->contains(waiting.key());
}

bool Schedule::ends_before_head(const Waiting& waiting) const {
  const std::optional<Time> end = end_of(waiting, now_);
  return end && *end <= reservation_.start;
}

}  // namespace mc::controller::queueing
