#include "services/controller/queueing/round.h"

#include <utility>

namespace mc::controller::queueing {
namespace {

using api::Amounts;
using api::Quantity;

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

}  // namespace

std::optional<Shortage> shortage(const Limits& limits, const Usage& usage, const std::string& ns,
                                 const Amounts& demand) {
  const Amounts hard = hard_of(limits, ns);
  auto found = shortage_of(Shortage::Scope::Namespace, hard, left_of(hard, usage.in(ns)), demand);
  if (found) return found;
  return shortage_of(Shortage::Scope::Cluster, limits.hard, left_of(limits.hard, usage.cluster()),
                     demand);
}

Reservation::Reservation(const Waiting& head, Amounts cluster_left, Amounts namespace_left,
                         const Usage& usage)
    : ns_(head.ns),
      cluster_extra_(std::move(cluster_left)),
      namespace_extra_(std::move(namespace_left)) {
  const Usage::ByEnd& ends = usage.by_end();
  for (auto next = ends.begin(); next != ends.end();) {
    const auto& [end, unused, running_one] = *next;
    const Running& running = *running_one;
    give_back(cluster_extra_, running.amounts);
    if (running.ns == ns_) give_back(namespace_extra_, running.amounts);
    ++next;
    if (next != ends.end() && std::get<Time>(*next) == end)
      continue;  // what ends at a time ends at once
    if (!fits(head.demand, cluster_extra_) || !fits(head.demand, namespace_extra_)) continue;
    start_ = end;
    break;
  }
  take_from(cluster_extra_, head.demand);
  take_from(namespace_extra_, head.demand);
}

std::optional<Time> Reservation::start() const {
  return start_ == Time::max() ? std::nullopt : std::optional(start_);
}

bool Reservation::ends_before(const Waiting& other, Time now) const {
  const std::optional<Time> end = end_of(other, now);
  return end && *end <= start_;
}

bool Reservation::allows(const Waiting& other, Time now) const {
  if (ends_before(other, now)) return true;
  return fits(other.demand, cluster_extra_) &&
         (other.ns != ns_ || fits(other.demand, namespace_extra_));
}

void Reservation::take(const Waiting& other, Time now) {
  if (ends_before(other, now)) return;
  take_from(cluster_extra_, other.demand);
  if (other.ns == ns_) take_from(namespace_extra_, other.demand);
}

Round::Round(const Limits& limits, Usage& usage)
    : limits_(limits), usage_(usage), left_(left_of(limits.hard, usage.cluster())) {}

bool Round::visit(const Waiting& waiting, Time now) {
  if (can_start(waiting, now)) {
    start(waiting, now);
    return true;
  }
  const Lane& lane = lane_of(waiting.ns);
  const bool only_the_cluster_lacks = fits(waiting.demand, lane.left) &&
                                      may_pass_first(waiting, lane) && !fits(waiting.demand, left_);
  if (head_ == nullptr && only_the_cluster_lacks) make_head(waiting);
  hold(waiting);
  return false;
}

bool Round::keep_promise(const Waiting& promised, Time now) {
  if (fits(promised.demand, left_) && fits(promised.demand, lane_of(promised.ns).left)) {
    start(promised, now);
    return true;
  }
  make_head(promised);
  if (!promise()) {  // the known ends changed; the order decides who is the head
    head_ = nullptr;
    reservation_.reset();
  }
  return false;
}

void Round::hold(const Waiting& first) {
  if (limits_.strategy == Strategy::BestEffortFIFO) return;
  Lane& lane = lane_of(first.ns);
  if (lane.first != nullptr || lane.hard.empty()) return;
  lane.first = &first;
  lane.beyond = lane.left;
  take_from(lane.beyond, first.demand);
}

bool Round::can_start(const Waiting& waiting, Time now) {
  if (!fits(waiting.demand, left_)) return false;
  const Lane& lane = lane_of(waiting.ns);
  return fits(waiting.demand, lane.left) && may_pass_first(waiting, lane) &&
         may_pass_head(waiting, now);
}

std::optional<Time> Round::promise() const {
  return reservation_ ? reservation_->start() : std::nullopt;
}

Answer Round::answer(const Waiting& waiting, Time now) {
  const Lane& lane = lane_of(waiting.ns);
  Answer out;
  out.shortage = shortage(limits_, usage_, waiting.ns, waiting.demand);
  if (!may_pass_head(waiting, now)) {
    out.behind = head_->key();
  } else if (!may_pass_first(waiting, lane)) {
    out.behind = lane.first->key();
  }
  if (head_ == &waiting) out.promised = promise();
  return out;
}

Round::Lane& Round::lane_of(const std::string& ns) {
  const auto known = lanes_.find(ns);
  if (known != lanes_.end()) return known->second;
  Lane lane;
  lane.hard = hard_of(limits_, ns);
  lane.left = left_of(lane.hard, usage_.in(ns));
  return lanes_.emplace(ns, std::move(lane)).first->second;
}

void Round::start(const Waiting& waiting, Time now) {
  Lane& lane = lane_of(waiting.ns);
  take_from(left_, waiting.demand);
  take_from(lane.left, waiting.demand);
  if (lane.first == &waiting) lane.first = nullptr;
  if (lane.first != nullptr) take_from(lane.beyond, waiting.demand);
  if (reservation_) reservation_->take(waiting, now);
  usage_.add({waiting.key(), waiting.ns, waiting.demand, end_of(waiting, now)});
}

void Round::make_head(const Waiting& waiting) {
  if (limits_.strategy == Strategy::BestEffortFIFO) return;
  head_ = &waiting;
  if (limits_.strategy == Strategy::StrictFIFO) return;
  reservation_.emplace(waiting, left_, lane_of(waiting.ns).left, usage_);
}

bool Round::may_pass_first(const Waiting& waiting, const Lane& lane) const {
  if (lane.first == nullptr || lane.first == &waiting) return true;
  return limits_.strategy == Strategy::EASYBackfill && fits(waiting.demand, lane.beyond);
}

bool Round::may_pass_head(const Waiting& waiting, Time now) const {
  if (head_ == nullptr || head_ == &waiting) return true;
  if (limits_.strategy == Strategy::StrictFIFO) return before(waiting, *head_);
  return reservation_ && reservation_->allows(waiting, now);
}

}  // namespace mc::controller::queueing
