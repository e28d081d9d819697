#include "services/controller/queueing/queue.h"

#include <algorithm>
#include <array>
#include <utility>

#include "services/controller/queueing/condition.h"

namespace mc::controller::queueing {
namespace {

using queueing::Time;

// After this time no request that this process has sent can still take effect: the API server ends
// each after 60 s (kube-apiserver --request-timeout).
constexpr std::chrono::seconds kLate{120};

std::string namespace_of(const std::string& key) { return key.substr(0, key.find('/')); }
std::string name_of(const std::string& key) { return key.substr(key.find('/') + 1); }

// Whether the Job has done what the entry allows.
bool is_done(const Claim& claim, const Entry& entry) {
  return claim.runs && claim.size >= entry.size;
}

// Whether nothing can come of the entry any more: its Job is gone, or was suspended by somebody
// else since, so that a late resume fails.
bool is_void(const Claim& claim, const Entry& entry) {
  return claim.job != entry.job || (!claim.runs && !claim.waits);
}

// What it may take beside what it uses: all that the entry allows, also after somebody made it
// smaller, because it may grow again.
api::Amounts amounts_of(const Claim& claim, const Entry& entry) {
  api::Amounts out = claim.waits ? claim.held_back : api::Amounts();
  if (entry.size > claim.size) api::add_amounts(out, claim.pod, entry.size - claim.size);
  return out;
}

// The Job runs, and its MiniCluster wants no more pods.
bool is_unwanted(const Claim& claim) { return claim.runs && !claim.growth.is_made(); }

}  // namespace

Ledger::Ledger(std::vector<Entry> under_way) : queue_(queueing::Limits{}) {
  for (Entry& entry : under_way) {
    std::string key = entry.key;
    under_way_[std::move(key)].entry = std::move(entry);
  }
}

void Ledger::set_rules(std::optional<Rules> rules, const PriorityValues& values, std::string why) {
  why_ = std::move(why);
  if (rules == rules_ && values == values_) return;
  rules_ = std::move(rules);
  values_ = values;
  if (rules_) queue_.set_limits(rules_->limits);
  for (const auto& [key, claim] : claims_) ask(key, claim);
}

void Ledger::set(const std::string& key, Claim claim, Time now) {
  settle(key, claim, now);
  count(key, claim, now);
  ask(key, claim);
  const bool exists = !claim.job.empty() || !claim.used.empty() || under_way_.contains(key);
  if (exists) {
    claims_[key] = std::move(claim);
  } else {
    claims_.erase(key);
  }
}

// Ends the admission under way, if it is over.
void Ledger::settle(const std::string& key, const Claim& claim, Time now) {
  const auto found = under_way_.find(key);
  if (found == under_way_.end()) return;
  auto& [entry, lapses] = found->second;
  if (is_unwanted(claim)) {
    if (!lapses) lapses = now + kLate;
  } else {
    lapses.reset();
  }
  if (is_done(claim, entry) || is_void(claim, entry) || (lapses && *lapses <= now)) {
    done_.push_back(entry.job);
    under_way_.erase(found);
  }
}

void Ledger::count(const std::string& key, const Claim& claim, Time now) {
  queueing::Running running{key, namespace_of(key), claim.used, claim.end};
  const auto found = under_way_.find(key);
  if (found != under_way_.end()) {
    queueing::add(running.amounts, amounts_of(claim, found->second.entry));
    if (!claim.runs)
      running.end = claim.longest ? std::optional(now + *claim.longest) : std::nullopt;
  }
  if (running.amounts.empty()) {
    admitted_.erase(key);
    queue_.release(key);
  } else {
    admitted_.insert(key);
    queue_.count(std::move(running));
  }
}

void Ledger::ask(const std::string& key, const Claim& claim) {
  const bool free = !under_way_.contains(key);
  if (claim.growth.is_made() && free) {
    growing_.insert(key);
  } else {
    growing_.erase(key);
  }
  if (!claim.start.is_made() || !free) {
    queue_.leave(key);
    waiting_.erase(key);
    if (!growing_.contains(key)) told_.erase(key);
    return;
  }
  const std::string ns = namespace_of(key);
  queueing::Waiting waiting;
  waiting.ns = ns;
  waiting.name = name_of(key);
  waiting.uid = claim.uid;
  waiting.created = claim.created;
  waiting.demand = claim.start.amounts;
  waiting.longest = claim.longest;
  if (rules_) waiting.priority = priority_of(*rules_, values_, ns, claim.priority_class).value;
  queue_.wait(std::move(waiting));
  waiting_.insert(key);
}

bool Ledger::has_room(const Batch& batch) const {
  return under_way_.size() + batch.add.size() < kMostUnderWay;
}

Batch Ledger::decide(Time now) {
  Batch batch;
  batch.remove = done_;
  if (!rules_ || !has_room(batch)) return batch;
  const Rules& rules = *rules_;
  for (const queueing::Waiting& started : queue_.decide(now)) {
    const std::string key = started.key();
    const Claim& claim = claims_.at(key);
    if (has_room(batch)) {
      batch.add.push_back({key, claim.job, claim.start.size});
    } else {  // it starts as soon as others are done
      count(key, claim, now);
      queue_.wait(started);
    }
  }
  grow(rules, batch);
  return batch;
}

// A growth takes what is free, before and after those that wait.
void Ledger::grow(const Rules& rules, Batch& batch) {
  for (const std::string& key : growing_) {
    if (!has_room(batch)) return;
    const Claim& claim = claims_.at(key);
    const std::string ns = namespace_of(key);
    if (queueing::shortage(rules.limits, queue_.usage(), ns, claim.growth.amounts)) continue;
    batch.add.push_back({key, claim.job, claim.growth.size});
    queueing::Running grown{key, ns, claim.used, claim.end};
    queueing::add(grown.amounts, claim.growth.amounts);
    queue_.count(std::move(grown));
  }
}

std::vector<std::string> Ledger::written(const Batch& batch, Time now) {
  std::vector<std::string> changed;
  // Others may be done since the batch was made.
  done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(batch.remove.size()));
  for (const Entry& entry : batch.add) {
    const Claim& claim = claims_.at(entry.key);
    under_way_[entry.key] = {entry, std::nullopt};
    count(entry.key, claim, now);
    ask(entry.key, claim);
    changed.push_back(entry.key);
  }
  return changed;
}

api::Condition Ledger::words(const std::string& key, std::size_t place, Time now) {
  if (!rules_) return waiting_for_setup(why_);
  const Rules& rules = *rules_;
  const Claim& claim = claims_.at(key);
  const std::string note =
      priority_of(rules, values_, namespace_of(key), claim.priority_class).ignored;
  const auto never =
      queueing::shortage(rules.limits, queueing::Usage(), namespace_of(key), claim.start.amounts);
  if (never) {
    queueing::Answer answer;
    answer.never_fits = true;
    answer.shortage = never;
    return queueing::waiting(answer, now, note);
  }
  if (place < kExactPlaces) {
    if (const auto answer = queue_.answer(key, now)) return queueing::waiting(*answer, now, note);
  }
  std::size_t before = kExactPlaces;
  while (before < kMostTold && place >= before * 10) before *= 10;
  return waiting_behind(before, note);
}

bool Ledger::is_told(const std::string& key, api::Condition condition) {
  const auto found = told_.find(key);
  if (found != told_.end() && found->second.reason == condition.reason &&
      found->second.message == condition.message) {
    return true;
  }
  told_[key] = std::move(condition);
  return false;
}

std::vector<std::string> Ledger::tell(Time now) {
  std::vector<std::string> changed;
  std::unordered_map<std::string, std::size_t> places;
  if (rules_) {
    for (const std::string& key : queue_.first(kMostTold)) places.emplace(key, places.size());
  }
  never_fit_ = 0;
  for (const std::string& key : waiting_) {
    const auto found = places.find(key);
    const std::size_t place = found == places.end() ? kMostTold : found->second;
    if (!is_told(key, words(key, place, now))) changed.push_back(key);
    if (told_.at(key).reason == api::kReasonNeverFits) ++never_fit_;
  }
  for (const std::string& key : growing_) {
    const Claim& claim = claims_.at(key);
    const auto lacks = rules_ ? queueing::shortage(rules_->limits, queue_.usage(),
                                                   namespace_of(key), claim.growth.amounts)
                              : std::nullopt;
    if (!lacks) continue;
    if (!is_told(key, not_growing(*lacks, claim.size, claim.growth.size))) changed.push_back(key);
  }
  return changed;
}

QuotaReservation Ledger::verdict(const std::string& key) const {
  QuotaReservation out{.limited = true, .job = "", .granted = 0, .condition = std::nullopt};
  if (const auto found = under_way_.find(key); found != under_way_.end()) {
    out.job = found->second.entry.job;
    out.granted = found->second.entry.size;
  } else if (const auto told = told_.find(key); told != told_.end()) {
    out.condition = told->second;
  }
  return out;
}

std::optional<Time> Ledger::next(Time now) const {
  std::optional<Time> out = queue_.promised();
  if (out && *out <= now) out.reset();
  for (const auto& [unused, admission] : under_way_) {
    if (admission.lapses && (!out || *admission.lapses < *out)) out = admission.lapses;
  }
  return out;
}

void Ledger::give_up(Time now) {
  std::vector<std::string> due;
  for (const auto& [key, admission] : under_way_) {
    if (admission.lapses.value_or(Time::max()) <= now) due.push_back(key);
  }
  for (const std::string& key : due) set(key, Claim(claims_.at(key)), now);
}

}  // namespace mc::controller::queueing
