#include "services/controller/queueing/queue.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "services/controller/queueing/condition.h"
#include "services/controller/queueing/forecast.h"

namespace mc::controller::queueing {
namespace {

std::string name_of(const std::string& key) { return key.substr(key.find('/') + 1); }

// Whether it matters for estimates. The end of pods whose Job is suspended or gone is always a
// little ahead, and moves with each look at them.
bool is_other_use(const Running& a, const Running& b) {
  return a.amounts != b.amounts || a.started != b.started || a.end.has_value() != b.end.has_value();
}

// Beside its place in the queue.
bool asks_the_same(const Waiting& a, const Waiting& b) {
  return a.uid == b.uid && a.demand == b.demand && a.longest == b.longest;
}

}  // namespace

Queue::Queue(std::vector<Entry> under_way, std::optional<Promise> promise)
    : promise_(promise), written_promise_(std::move(promise)), under_way_(std::move(under_way)) {}

void Queue::set_policy(std::optional<Policy> policy, const PriorityValues& values,
                       std::string why) {
  const std::scoped_lock lock(mutex_);
  why_ = std::move(why);
  if (policy == policy_ && values == values_) return;
  policy_ = std::move(policy);
  values_ = values;
  is_examined_ = false;
  estimates_.invalidate();
  set_fair_share();
  for (const auto& [key, workload] : workloads_) ask(key, workload);
  for (const auto& [key, place] : waiting_) untold_.insert(key);
}

// While there is no policy, uses are kept: it may come back.
void Queue::set_fair_share() {
  if (!policy_) return;
  is_shared_ = false;
  const auto& fair_share = policy_->fair_share;
  const api::Amounts& hard = policy_->limits.hard;
  if (!fair_share) {
    fair_share_.reset();
  } else if (fair_share_) {
    fair_share_->set_policy(*fair_share, hard);
  } else {
    fair_share_ = std::make_unique<FairShare>(*fair_share, hard);
  }
}

void Queue::resume(const Uses& uses, Time now) {
  const std::scoped_lock lock(mutex_);
  if (fair_share_) fair_share_->resume(uses, now);
  is_shared_ = false;
}

void Queue::set(const std::string& key, Workload workload, Time now) {
  const std::scoped_lock lock(mutex_);
  put(key, std::move(workload), now);
}

void Queue::put(const std::string& key, Workload workload, Time now) {
  if (workload.ended) history_.add(namespace_of(key), *workload.ended);
  // Pods that outlast their MiniCluster are of its account.
  const auto known = workloads_.find(key);
  if (!workload.account && known != workloads_.end()) workload.account = known->second.account;
  const bool has_other_class =
      known != workloads_.end() && known->second.priority_class != workload.priority_class;
  if (has_other_class) untold_.insert(key);
  under_way_.settle(key, workload, now);
  count(key, workload, now);
  ask(key, workload);
  if (workload.is_preemptible || (workload.was_preempted && !workload.used.empty())) {
    preemptible_.insert(key);
  } else {
    preemptible_.erase(key);
  }
  const bool exists =
      !workload.job.empty() || !workload.used.empty() || under_way_.find(key) != nullptr;
  if (exists) {
    workloads_[key] = std::move(workload);
  } else {
    workloads_.erase(key);
  }
}

void Queue::count(const std::string& key, const Workload& workload, Time now) {
  Running running{key, namespace_of(key), workload.used, workload.end, workload.started};
  if (const Admission* admission = under_way_.find(key)) {
    const auto& [entry, lapses, is_withheld] = *admission;
    add(running.amounts, amounts_of(workload, entry));
    if (!workload.runs) {
      running.started = entry.admitted == Time() ? now : entry.admitted;
      running.end.reset();
      if (workload.longest) running.end = *running.started + *workload.longest;
    }
    if (running.end && lapses) running.end = std::max(*running.end, *lapses);
  }
  if (fair_share_) {
    fair_share_->set(key, {running.ns, workload.account.value_or("")}, running.amounts, now);
  }
  const auto known = usage_.running().find(key);
  const bool is_counted = known != usage_.running().end();
  if (is_counted ? known->second == running : running.amounts.empty()) return;
  if (!is_counted || is_other_use(known->second, running)) estimates_.invalidate();
  if (running.amounts.empty()) {
    usage_.remove(key);
  } else {
    usage_.set(std::move(running));
  }
}

void Queue::ask(const std::string& key, const Workload& workload) {
  const bool free = under_way_.granted(key) == nullptr;
  if (workload.growth.is_made() && free) {
    growing_.insert(key);
  } else {
    growing_.erase(key);
  }
  if (!workload.start.is_made() || !free) {
    leave(key);
    if (!growing_.contains(key)) told_.erase(key);
    return;
  }
  wait(key, waiting_of(key, workload, workload.start.amounts));
}

Waiting Queue::waiting_of(const std::string& key, const Workload& workload,
                          api::Amounts demand) const {
  Waiting out{.ns = namespace_of(key),
              .name = name_of(key),
              .uid = workload.uid,
              .created = workload.created,
              .demand = std::move(demand),
              .longest = workload.longest,
              .account = workload.account.value_or("")};
  if (fair_share_) out.ahead = fair_share_->ahead_of(account_of(out));
  if (!policy_) return out;
  const Priority priority = priority_of(*policy_, values_, out.ns, workload.priority_class);
  out.priority = priority.value;
  out.overrides = priority.overrides;
  return out;
}

// With another demand it loses the promise, but not with another place: that is not yet known when
// a leader begins, and classes and shares change.
void Queue::wait(const std::string& key, Waiting waiting) {
  const auto known = waiting_.find(key);
  if (known != waiting_.end() && *known->second == waiting) return;
  const std::optional<Promise> promised = promise_;
  const bool is_moved = known != waiting_.end() && asks_the_same(*known->second, waiting);
  leave(key);
  if (is_moved) promise_ = promised;
  estimates_.invalidate();
  if (fair_share_ && fair_share_->find(account_of(waiting)) == nullptr) is_shared_ = false;
  waiting_[key] = pending_.insert(std::move(waiting)).first;
  untold_.insert(key);
}

void Queue::leave(const std::string& key) {
  const auto known = waiting_.find(key);
  if (known == waiting_.end()) return;
  estimates_.invalidate();
  pending_.erase(known->second);
  waiting_.erase(known);
  never_fit_.erase(key);
  estimates_.remove(key);
  if (promise_ && key == promise_->key) promise_.reset();
}

// Those that wait get the places that the uses of now give them: once a minute, and when an account
// comes that is not known.
void Queue::share(Time now) {
  if (!fair_share_ || (is_shared_ && !fair_share_->is_due(now))) return;
  if (!is_shared_) count_shares(now);
  std::set<Account> accounts;
  for (const Waiting& one : pending_) accounts.insert(account_of(one));
  fair_share_->refresh(now, accounts);
  is_shared_ = true;
  reorder();
}

// The limits may have changed, of which they are a share.
void Queue::count_shares(Time now) {
  for (const auto& [key, running] : usage_.running()) {
    const auto known = workloads_.find(key);
    const bool is_known = known != workloads_.end();
    const std::string account = is_known ? known->second.account.value_or("") : "";
    fair_share_->set(key, {running.ns, account}, running.amounts, now);
  }
}

// Each keeps what it was promised.
void Queue::reorder() {
  std::vector<Pending::const_iterator> moved;
  for (auto one = pending_.begin(); one != pending_.end(); ++one) {
    if (one->ahead != fair_share_->ahead_of(account_of(*one))) moved.push_back(one);
  }
  if (!moved.empty()) estimates_.invalidate();
  for (const Pending::const_iterator& one : moved) {
    Waiting waiting = *one;
    pending_.erase(one);
    waiting.ahead = fair_share_->ahead_of(account_of(waiting));
    const std::string key = waiting.key();
    waiting_[key] = pending_.insert(std::move(waiting)).first;
  }
}

bool Queue::has_room(const Batch& batch) const {
  return under_way_.size() + batch.add.size() < kMostUnderWay;
}

Schedule Queue::schedule(const Policy& policy, Time now) const {
  return queueing::schedule(now, policy.limits, usage_, pending_, promised(),
                            &preemption_.room_for);
}

// Null: nobody that waits was promised a start.
const Waiting* Queue::promised() const {
  if (!promise_) return nullptr;
  const auto found = waiting_.find(promise_->key);
  if (found == waiting_.end() || workloads_.at(promise_->key).job != promise_->job) return nullptr;
  return &*found->second;
}

std::vector<std::string> Queue::examine(Time now) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> changed;
  if (!policy_ || is_examined_) return changed;
  Usage others;  // without what is under way
  for (const auto& [key, workload] : workloads_) {
    others.set({key, namespace_of(key), workload.used, std::nullopt});
  }
  Pending in_order;
  for (const auto& [key, admission] : under_way_.all()) {
    const Workload& workload = workloads_.at(key);
    in_order.insert(waiting_of(key, workload, amounts_of(workload, admission.entry)));
  }
  is_examined_ = true;
  Snapshot left(policy_->limits, others);
  for (const Waiting& one : in_order) {
    const bool fits = !left.shortage(one.ns, one.demand);
    if (fits) left.take(one.ns, one.demand);
    is_examined_ = is_examined_ && fits;
    if (under_way_.withhold(one.key(), !fits)) changed.push_back(one.key());
  }
  for (const std::string& key : changed) put(key, Workload(workloads_.at(key)), now);
  return changed;
}

Batch Queue::decide(Time now) {
  const std::scoped_lock lock(mutex_);
  Batch batch;
  batch.remove = under_way_.done();
  batch.promise = promise_;
  promised_start_.reset();
  share(now);
  if (!policy_) return batch;
  Schedule schedule = this->schedule(*policy_, now);
  promise(schedule, batch);
  for (const Waiting* one : schedule.admitted()) {
    if (!has_room(batch)) return batch;  // it starts as soon as others are done
    const std::string key = one->key();
    const Workload& workload = workloads_.at(key);
    batch.add.push_back({key, workload.job, workload.start.size, now});
  }
  grow(schedule.left(), batch, now);
  return batch;
}

void Queue::promise(const Schedule& schedule, Batch& batch) {
  promised_start_ = schedule.promise();
  promise_.reset();
  const Waiting* const head = schedule.head();
  if (promised_start_ && head != nullptr) {
    promise_ = Promise{head->key(), workloads_.at(head->key()).job};
  }
  batch.promise = promise_;
}

// A growth takes what is free, before and after those that wait.
void Queue::grow(Snapshot& left, Batch& batch, Time now) const {
  for (const std::string& key : growing_) {
    if (!has_room(batch)) return;
    const Workload& workload = workloads_.at(key);
    const std::string ns = namespace_of(key);
    if (left.shortage(ns, workload.growth.amounts)) continue;
    left.take(ns, workload.growth.amounts);
    batch.add.push_back({key, workload.job, workload.growth.size, now});
  }
}

std::vector<std::string> Queue::written(const Batch& batch, Time now) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> changed;
  written_promise_ = batch.promise;
  under_way_.remove_done(batch.remove.size());
  for (const Entry& entry : batch.add) {
    const Workload& workload = workloads_.at(entry.key);
    under_way_.add(entry);
    count(entry.key, workload, now);
    ask(entry.key, workload);
    changed.push_back(entry.key);
  }
  return changed;
}

std::vector<std::string> Queue::preempt(Time now) {
  const std::scoped_lock lock(mutex_);
  Preemption made;
  if (policy_ && !preemptible_.empty() && !pending_.empty()) {
    Schedule schedule = this->schedule(*policy_, now);
    made = queueing::preempt(schedule, pending_, holders(*policy_));
  }
  const Preemption before = std::exchange(preemption_, std::move(made));
  std::vector<std::string> changed;
  std::ranges::set_symmetric_difference(before.victims, preemption_.victims,
                                        std::back_inserter(changed));
  return changed;
}

// One whose admission is under way is about to start or grow, and is left alone.
std::vector<Holder> Queue::holders(const Policy& policy) const {
  std::vector<Holder> out;
  for (const auto& [key, running] : usage_.running()) {
    const auto known = workloads_.find(key);
    if (known == workloads_.end() || under_way_.find(key) != nullptr) continue;
    const Workload& workload = known->second;
    const bool is_leaving = !workload.runs || workload.ended;
    if (!is_leaving && !workload.is_preemptible) continue;
    const Priority priority = priority_of(policy, values_, running.ns, workload.priority_class);
    out.push_back({key, running.ns, priority.value, workload.started.value_or(Time::max()),
                   running.amounts, is_leaving, workload.was_preempted});
  }
  return out;
}

std::vector<std::string> Queue::tell(Time now) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> changed;
  if (!policy_) {
    never_fit_.clear();
    for (const Waiting& one : pending_) tell(one.key(), waiting_for_setup(why_), changed);
    return changed;
  }
  const Policy& policy = *policy_;
  if (is_forecast_due(now)) {
    estimates_.set(forecast(now, policy.limits, usage_, pending_, promised(), history_), now);
  }
  Schedule schedule = this->schedule(policy, now);
  tell_waiting(policy, schedule, now, changed);
  tell_growing(schedule, changed);
  return changed;
}

// Behind the first kMostTold, all say the same for as long as they wait. Only those are told that
// are new there, so that a turn takes the same time however many wait.
void Queue::tell_waiting(const Policy& policy, Schedule& schedule, Time now,
                         std::vector<std::string>& changed) {
  std::size_t ahead = 0;
  std::set<std::string> first;
  for (auto one = pending_.begin(); one != pending_.end() && ahead < kMostTold; ++one) {
    std::string key = one->key();
    const bool is_known = never_fit_.contains(key) && !untold_.contains(key);
    if (!is_known && tell_one(policy, schedule, *one, ahead, now, changed)) ++ahead;
    untold_.erase(key);
    if (!never_fit_.contains(key)) first.insert(std::move(key));
  }
  for (const std::string& key : first_told_) {
    if (!first.contains(key) && !never_fit_.contains(key)) untold_.insert(key);
  }
  // It says when it starts, wherever it is.
  const Waiting* const head = schedule.head();
  if (head != nullptr && first.insert(head->key()).second) untold_.insert(head->key());
  for (const std::string& key : untold_) {
    const auto one = waiting_.find(key);
    if (one != waiting_.end()) tell_one(policy, schedule, *one->second, ahead, now, changed);
  }
  untold_.clear();
  first_told_ = std::move(first);
}

// False if it can never fit. Why it waits is asked only of the first, which are told exactly.
bool Queue::tell_one(const Policy& policy, Schedule& schedule, const Waiting& one,
                     std::size_t ahead, Time now, std::vector<std::string>& changed) {
  const std::string key = one.key();
  if (const auto never = schedule.left().never_fits(one.ns, one.demand)) {
    never_fit_.insert(key);
    // Without what changes with time: it has no place.
    tell(key, never_fits(*never, note_on(policy, one, kExplainedPlaces, now)), changed);
    return false;
  }
  never_fit_.erase(key);
  const std::string note = note_on(policy, one, ahead, now);
  const std::optional<Time> promised = schedule.head() == &one ? schedule.promise() : std::nullopt;
  api::Condition condition = ahead < kExactPlaces
                                 ? queueing::waiting(schedule.reason(one), ahead + 1, now, note)
                                 : waiting_behind(ahead, promised, now, note);
  condition.estimated_start = estimates_.find(key);
  tell(key, std::move(condition), changed);
  return true;
}

// What its condition says beside the place. `ahead`: how many are before it.
std::string Queue::note_on(const Policy& policy, const Waiting& waiting, std::size_t ahead,
                           Time now) const {
  std::string ignored =
      priority_of(policy, values_, waiting.ns, workloads_.at(waiting.key()).priority_class).ignored;
  const FairShareOf* has =
      fair_share_ && ahead < kExplainedPlaces ? fair_share_->find(account_of(waiting)) : nullptr;
  if (has == nullptr) return ignored;
  const std::int64_t age = age_of(waiting.created, now, fair_share_->policy().half_life);
  const std::string terms = priority_terms(waiting.priority, has->shown, age);
  return ignored.empty() ? terms : ignored + " " + terms;
}

void Queue::tell_growing(Schedule& schedule, std::vector<std::string>& changed) {
  for (const std::string& key : growing_) {
    const Workload& workload = workloads_.at(key);
    const auto lacks = schedule.left().shortage(namespace_of(key), workload.growth.amounts);
    if (lacks) tell(key, not_growing(*lacks, workload.size, workload.growth.size), changed);
  }
}

void Queue::tell(const std::string& key, api::Condition condition,
                 std::vector<std::string>& changed) {
  const auto found = told_.find(key);
  if (found != told_.end() && found->second == condition) return;
  told_[key] = std::move(condition);
  changed.push_back(key);
}

QuotaReservation Queue::reservation(const std::string& key) const {
  QuotaReservation out{
      .limited = true, .job = "", .granted = 0, .preempted = "", .condition = std::nullopt};
  if (const Entry* entry = under_way_.granted(key)) {
    out.job = entry->job;
    out.granted = entry->size;
  } else if (const auto told = told_.find(key); told != told_.end()) {
    out.condition = told->second;
  }
  // One that was to be suspended may be gone since.
  const auto known = preemption_.victims.contains(key) ? workloads_.find(key) : workloads_.end();
  if (known != workloads_.end()) out.preempted = known->second.job;
  return out;
}

std::optional<Time> Queue::next(Time now) const {
  std::optional<Time> out = promised_start_;
  if (out && *out <= now) out.reset();
  if (const auto forecast = next_forecast(); forecast && (!out || *forecast < *out)) {
    out = std::max(*forecast, now + std::chrono::seconds(1));
  }
  const auto lapses = under_way_.next();
  if (lapses && (!out || *lapses < *out)) out = lapses;
  const bool is_in_use = fair_share_ && (!pending_.empty() || fair_share_->is_used());
  const auto shared = is_in_use ? fair_share_->refreshed() : std::nullopt;
  if (shared) out = std::min(out.value_or(Time::max()), std::min(*shared, now) + kShareEvery);
  return out;
}

bool Queue::is_forecast_due(Time now) const {
  return policy_ && !pending_.empty() && estimates_.is_due(now, told_promise());
}

std::optional<Time> Queue::next_forecast() const {
  if (!policy_ || pending_.empty()) return std::nullopt;
  return estimates_.next(told_promise());
}

// The start that the head was promised, as its condition says it.
std::optional<Time> Queue::told_promise() const {
  const auto head = promise_ ? told_.find(promise_->key) : told_.end();
  return head == told_.end() ? std::nullopt : head->second.promised_start;
}

void Queue::give_up(Time now) {
  const std::scoped_lock lock(mutex_);
  for (const std::string& key : under_way_.lapsed(now)) {
    put(key, Workload(workloads_.at(key)), now);
  }
}

}  // namespace mc::controller::queueing
