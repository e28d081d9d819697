#include "services/controller/queueing/incremental.h"

#include <algorithm>
#include <boost/heap/d_ary_heap.hpp>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "services/controller/queueing/round.h"

namespace mc::controller::queueing {
namespace {

// Whether anything of what was counted is free now.
bool frees(const Running& now, const Running& earlier) {
  return std::ranges::any_of(earlier.amounts, [&](const auto& entry) {
    const auto found = now.amounts.find(entry.first);
    return found == now.amounts.end() || found->second < entry.second;
  });
}

}  // namespace

// Those that wait are in lanes, each of which is a heap. With StrictFIFO and BestEffortFIFO only
// the first of a lane is asked, because none behind it can start before it: a lane is awake while
// its first may start, and the lanes that are awake are a heap by their firsts.
// - StrictFIFO: a lane for each namespace. What is freed in a namespace wakes its lane.
// - BestEffortFIFO: a lane for each demand in a namespace. A lane that was refused sleeps until as
//   much is left of what it lacked as it needs.
// - EASYBackfill: a lane for each namespace. When something is freed, everybody is asked.
class Queue::Impl {
 public:
  explicit Impl(Limits limits) : limits_(std::move(limits)) {}

  void set_limits(Limits limits);
  void wait(Waiting waiting);
  void leave(const std::string& key);
  void count(Running running);
  void release(const std::string& key);
  std::vector<Waiting> decide(Time now);
  std::optional<Answer> answer(const std::string& key, Time now);
  std::vector<std::string> first(std::size_t count) const;
  std::optional<Time> promised() const { return round_ ? round_->promise() : std::nullopt; }
  std::size_t size() const { return items_.size(); }
  const Usage& usage() const { return usage_; }

 private:
  struct Item;
  struct Lane;

  // For Boost's heaps, whose top is the greatest.
  struct ComesLater {
    bool operator()(const Item* a, const Item* b) const { return before(b->waiting, a->waiting); }
  };
  struct FirstComesLater {
    bool operator()(const Lane* a, const Lane* b) const {
      return before(b->items.top()->waiting, a->items.top()->waiting);
    }
  };
  template <class T, class Compare>
  using Heap = boost::heap::d_ary_heap<T, boost::heap::arity<2>, boost::heap::mutable_<true>,
                                       boost::heap::compare<Compare>>;
  using Items = Heap<Item*, ComesLater>;
  using Lanes = Heap<Lane*, FirstComesLater>;

  // What a lane lacks: the namespace of the limit ("" for the cluster's), the resource, and how
  // much of it must be left.
  using Sleeping = std::multimap<std::tuple<std::string, std::string, api::Quantity>, Lane*>;

  struct Item {
    Waiting waiting;
    Lane* lane = nullptr;  // nullptr: it never fits
    std::optional<Items::handle_type> handle;
  };
  struct Lane {
    Items items;  // never empty
    // Never with EASYBackfill; at most one of the two.
    std::optional<Lanes::handle_type> awake;
    std::optional<Sleeping::iterator> sleeps;  // only with BestEffortFIFO
  };

  bool is(Strategy strategy) const { return limits_.strategy == strategy; }
  void enter(Item& item);
  void remove_from_lane(Item& item);
  std::string lane_of(const Waiting& waiting) const;
  void wake(Lane& lane);
  void wake_all_helped(const std::string& ns, const api::Amounts& hard, const api::Amounts& used);
  void park(Lane& lane);
  void sleep(Lane& lane);
  bool holds_back_others(const Item& item) const;
  bool goes_ahead(const Item& item) const;
  void usage_changed(const std::string& ns, bool freed);
  void ask_everybody_next();

  void ask_lanes(Time now, std::vector<Waiting>& started);
  void ask_everybody(Time now, std::vector<Waiting>& started);
  void ask_arrivals(Time now, std::vector<Waiting>& started);
  void ask(Item& item, Time now, std::vector<Waiting>& started);
  void hold_for(const Item& item);
  void start(Item& item, std::vector<Waiting>& started);
  Item* promised_item();
  void record_promise();

  Limits limits_;
  Usage usage_;
  std::unordered_map<std::string, Item> items_;  // by key
  std::map<std::string, Lane> lanes_;            // by lane_of()
  Lanes awake_;
  Sleeping sleeping_;
  std::vector<std::string> promised_;  // keys of those with a promise; one, after a decision
  std::unique_ptr<Round> round_;       // the last one, while it is valid
  std::vector<std::string> arrivals_;  // since the last decision
  bool ask_everybody_ = true;          // only with EASYBackfill
  bool changed_ = true;                // since the last decision
};

void Queue::Impl::set_limits(Limits limits) {
  round_.reset();
  awake_.clear();
  sleeping_.clear();
  lanes_.clear();
  limits_ = std::move(limits);
  for (auto& [unused, item] : items_) {
    item.lane = nullptr;
    item.handle.reset();
    enter(item);
  }
  ask_everybody_next();
}

void Queue::Impl::wait(Waiting waiting) {
  std::string key = waiting.key();
  if (const auto known = items_.find(key); known != items_.end()) {
    waiting.promised = known->second.waiting.promised;
    if (waiting == known->second.waiting) return;
    waiting.promised.reset();
    leave(key);
  }
  if (waiting.promised) promised_.push_back(key);
  Item& item = items_[std::move(key)];
  item.waiting = std::move(waiting);
  enter(item);
  if (goes_ahead(item)) ask_everybody_next();
}

void Queue::Impl::leave(const std::string& key) {
  const auto found = items_.find(key);
  if (found == items_.end()) return;
  changed_ = true;
  if (found->second.lane != nullptr) {
    if (holds_back_others(found->second)) ask_everybody_next();
    remove_from_lane(found->second);
  }
  items_.erase(found);
}

void Queue::Impl::count(Running running) {
  const std::vector<const Running*> earlier = usage_.find(running.key);
  if (earlier.size() == 1 && *earlier.front() == running) return;
  const bool freed = earlier.size() > 1 || (!earlier.empty() && frees(running, *earlier.front()));
  const std::string ns = running.ns;
  usage_.set(std::move(running));
  usage_changed(ns, freed);
}

void Queue::Impl::release(const std::string& key) {
  const std::vector<const Running*> earlier = usage_.find(key);
  if (earlier.empty()) return;
  const std::string ns = earlier.front()->ns;
  usage_.remove(key);
  usage_changed(ns, true);
}

std::vector<Waiting> Queue::Impl::decide(Time now) {
  std::vector<Waiting> started;
  if (!is(Strategy::EASYBackfill)) {
    round_ = std::make_unique<Round>(limits_, usage_);
    ask_lanes(now, started);
  } else {
    if (!round_) round_ = std::make_unique<Round>(limits_, usage_);
    if (ask_everybody_) {
      ask_everybody(now, started);
    } else {
      ask_arrivals(now, started);
    }
  }
  arrivals_.clear();
  ask_everybody_ = changed_ = false;
  record_promise();
  return started;
}

std::optional<Answer> Queue::Impl::answer(const std::string& key, Time now) {
  const auto found = items_.find(key);
  if (changed_ || found == items_.end()) return std::nullopt;
  const Item& item = found->second;
  Answer out;
  if (item.lane == nullptr) {
    out.never_fits = true;
    out.shortage = shortage(limits_, Usage{}, item.waiting.ns, item.waiting.demand);
    return out;
  }
  hold_for(item);
  out = round_->answer(item.waiting, now);
  out.place = 1 + static_cast<std::size_t>(std::ranges::count_if(items_, [&](const auto& entry) {
                const Item& other = entry.second;
                return other.lane != nullptr && before(other.waiting, item.waiting);
              }));
  return out;
}

std::vector<std::string> Queue::Impl::first(std::size_t count) const {
  std::vector<const Item*> order;
  order.reserve(items_.size());
  for (const auto& [unused, item] : items_) {
    if (item.lane != nullptr) order.push_back(&item);
  }
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(),
                    [](const Item* a, const Item* b) { return before(a->waiting, b->waiting); });
  std::vector<std::string> keys;
  for (auto item = order.begin(); item != end; ++item) keys.push_back((*item)->waiting.key());
  return keys;
}

void Queue::Impl::enter(Item& item) {
  changed_ = true;
  const Waiting& waiting = item.waiting;
  if (shortage(limits_, Usage{}, waiting.ns, waiting.demand)) return;
  Lane& lane = lanes_[lane_of(waiting)];
  const bool was_awake = lane.awake.has_value();
  park(lane);
  item.lane = &lane;
  item.handle.emplace(lane.items.push(&item));
  if (was_awake || lane.items.top() == &item) wake(lane);
  arrivals_.push_back(waiting.key());
}

void Queue::Impl::remove_from_lane(Item& item) {
  Lane& lane = *item.lane;
  const bool wakes = lane.awake.has_value() || lane.items.top() == &item;
  park(lane);
  if (item.handle) lane.items.erase(*item.handle);
  item.handle.reset();
  item.lane = nullptr;
  if (lane.items.empty()) {
    if (lane.sleeps) sleeping_.erase(*lane.sleeps);
    lanes_.erase(lane_of(item.waiting));
  } else if (wakes) {
    wake(lane);
  }
}

std::string Queue::Impl::lane_of(const Waiting& waiting) const {
  std::string out = waiting.ns;
  if (!is(Strategy::BestEffortFIFO)) return out;
  for (const auto& [name, amount] : waiting.demand) {
    out.append(" ").append(name).append(" ").append(amount.str());
  }
  return out;
}

void Queue::Impl::wake(Lane& lane) {
  if (is(Strategy::EASYBackfill) || lane.awake) return;
  if (lane.sleeps) sleeping_.erase(*lane.sleeps);
  lane.sleeps.reset();
  lane.awake.emplace(awake_.push(&lane));
}

// Wakes the lanes for which enough is left now of what they lacked of these limits.
void Queue::Impl::wake_all_helped(const std::string& ns, const api::Amounts& hard,
                                  const api::Amounts& used) {
  for (const auto& [resource, limit] : hard) {
    const auto taken = used.find(resource);
    const api::Quantity left = taken == used.end() ? limit : limit - taken->second;
    auto next = sleeping_.lower_bound({ns, resource, api::Quantity()});
    while (next != sleeping_.end() && next->first <= std::tie(ns, resource, left)) {
      Lane& lane = *next->second;
      ++next;
      wake(lane);
    }
  }
}

// The order of `awake_` depends on the first of each lane, so a lane is not in it while that
// changes.
void Queue::Impl::park(Lane& lane) {
  if (!lane.awake) return;
  awake_.erase(*lane.awake);
  lane.awake.reset();
}

// Its first was refused.
void Queue::Impl::sleep(Lane& lane) {
  park(lane);
  if (!is(Strategy::BestEffortFIFO)) return;
  const Waiting& first = lane.items.top()->waiting;
  const auto lacks = shortage(limits_, usage_, first.ns, first.demand);
  if (!lacks) return;  // never: this strategy refuses for nothing else
  const bool of_cluster = lacks->scope == Shortage::Scope::Cluster;
  lane.sleeps = sleeping_.emplace(
      std::tuple(of_cluster ? "" : first.ns, lacks->resource, first.demand.at(lacks->resource)),
      &lane);
}

// Whether others may start if it leaves.
bool Queue::Impl::holds_back_others(const Item& item) const {
  if (!is(Strategy::EASYBackfill)) return false;  // the next of the lane is asked anyway
  return (round_ && round_->head() == &item.waiting) ||
         (limits_.namespaces.contains(item.waiting.ns) && item.lane->items.top() == &item);
}

// Whether it arrives ahead of one that holds back others, so that these have to be asked again.
bool Queue::Impl::goes_ahead(const Item& item) const {
  if (!is(Strategy::EASYBackfill) || item.lane == nullptr) return false;
  if (item.waiting.promised) return true;
  const Waiting* const head = round_ ? round_->head() : nullptr;
  if (head != nullptr && !round_->promise() && before(item.waiting, *head)) return true;
  return limits_.namespaces.contains(item.waiting.ns) && item.lane->items.size() > 1 &&
         item.lane->items.top() == &item;
}

void Queue::Impl::usage_changed(const std::string& ns, bool freed) {
  changed_ = true;
  round_.reset();
  if (is(Strategy::EASYBackfill)) ask_everybody_ = true;
  if (!freed) return;
  if (is(Strategy::BestEffortFIFO)) {
    wake_all_helped("", limits_.hard, usage_.cluster());
    wake_all_helped(ns, hard_of(limits_, ns), usage_.in(ns));
  } else if (const auto found = lanes_.find(ns); found != lanes_.end()) {
    wake(found->second);
  }
}

void Queue::Impl::ask_everybody_next() {
  changed_ = ask_everybody_ = true;
  round_.reset();
}

void Queue::Impl::ask_lanes(Time now, std::vector<Waiting>& started) {
  while (!awake_.empty()) {
    Lane& lane = *awake_.top();
    Item& item = *lane.items.top();
    if (round_->visit(item.waiting, now)) {
      start(item, started);
    } else if (round_->head() == &item.waiting) {
      return;  // nobody behind it starts
    } else {
      sleep(lane);
    }
  }
}

void Queue::Impl::ask_everybody(Time now, std::vector<Waiting>& started) {
  if (Item* const promised = promised_item();
      promised != nullptr && round_->keep_promise(promised->waiting, now)) {
    start(*promised, started);
  }
  std::vector<Item*> rest;
  rest.reserve(items_.size());
  for (auto& [unused, item] : items_) {
    if (item.lane != nullptr) rest.push_back(&item);
  }
  if (round_->head() == nullptr) {
    // Everybody up to the new head, in order.
    std::ranges::make_heap(rest, ComesLater());
    while (!rest.empty() && round_->head() == nullptr) {
      std::ranges::pop_heap(rest, ComesLater());
      Item& next = *rest.back();
      rest.pop_back();
      ask(next, now, started);
    }
  }
  std::erase_if(rest, [&](const Item* item) {
    hold_for(*item);
    return !round_->can_start(item->waiting, now);
  });
  std::ranges::sort(rest,
                    [](const Item* a, const Item* b) { return before(a->waiting, b->waiting); });
  for (Item* const item : rest) ask(*item, now, started);
}

// Nothing was freed, so nobody else can start.
void Queue::Impl::ask_arrivals(Time now, std::vector<Waiting>& started) {
  std::vector<Item*> order;
  for (const std::string& key : arrivals_) {
    const auto found = items_.find(key);
    if (found != items_.end() && found->second.lane != nullptr) order.push_back(&found->second);
  }
  std::ranges::sort(order,
                    [](const Item* a, const Item* b) { return before(a->waiting, b->waiting); });
  const auto twice = std::ranges::unique(order);  // left and came again
  order.erase(twice.begin(), twice.end());
  for (Item* const item : order) ask(*item, now, started);
}

void Queue::Impl::ask(Item& item, Time now, std::vector<Waiting>& started) {
  hold_for(item);
  if (round_->visit(item.waiting, now)) start(item, started);
}

// The first of its lane was refused, or will be asked before it.
void Queue::Impl::hold_for(const Item& item) {
  const Item* const first = item.lane->items.top();
  if (first != &item) round_->hold(first->waiting);
}

void Queue::Impl::start(Item& item, std::vector<Waiting>& started) {
  remove_from_lane(item);
  started.push_back(std::move(item.waiting));
  items_.erase(started.back().key());
}

Queue::Impl::Item* Queue::Impl::promised_item() {
  Item* first = nullptr;
  if (!is(Strategy::EASYBackfill)) return first;
  for (const std::string& key : promised_) {
    const auto found = items_.find(key);
    if (found == items_.end() || found->second.lane == nullptr) continue;
    Item& item = found->second;
    if (item.waiting.promised && (first == nullptr || before(item.waiting, first->waiting))) {
      first = &item;
    }
  }
  return first;
}

// Only the head has a promise.
void Queue::Impl::record_promise() {
  for (const std::string& key : promised_) {
    if (const auto found = items_.find(key); found != items_.end()) {
      found->second.waiting.promised.reset();
    }
  }
  promised_.clear();
  const std::optional<Time> promise = round_->promise();
  if (!promise) return;
  std::string key = round_->head()->key();
  items_.at(key).waiting.promised = promise;
  promised_.push_back(std::move(key));
}

Queue::Queue(Limits limits) : impl_(std::make_unique<Impl>(std::move(limits))) {}
Queue::~Queue() = default;
void Queue::set_limits(Limits limits) { impl_->set_limits(std::move(limits)); }
void Queue::wait(Waiting waiting) { impl_->wait(std::move(waiting)); }
void Queue::leave(const std::string& key) { impl_->leave(key); }
void Queue::count(Running running) { impl_->count(std::move(running)); }
void Queue::release(const std::string& key) { impl_->release(key); }
std::vector<Waiting> Queue::decide(Time now) { return impl_->decide(now); }
std::optional<Answer> Queue::answer(const std::string& key, Time now) {
  return impl_->answer(key, now);
}
std::vector<std::string> Queue::first(std::size_t count) const { return impl_->first(count); }
std::optional<Time> Queue::promised() const { return impl_->promised(); }
std::size_t Queue::size() const { return impl_->size(); }
const Usage& Queue::usage() const { return impl_->usage(); }

}  // namespace mc::controller::queueing
