#include "services/controller/queueing/forecast.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace mc::controller::queueing {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Runs that are expected to end together count as one, so that the time that a forecast takes does
// not grow with their number at each of its steps.
class Simulation {
 public:
  Simulation(Time now, const Limits& limits, const RunHistory& history)
      : now_(now), limits_(limits), history_(history) {}

  void add(const Running& running);
  void wait(const Waiting& waiting) { pending_.insert(waiting); }

  std::vector<Estimate> run(const Waiting* promised);

 private:
  // When they end, at the latest and as is expected; nullopt: unknown.
  using Group = std::tuple<std::optional<Time>, std::optional<Time>, std::string>;

  std::optional<Time> expected_end(const Running& running) const;
  void use(const std::string& ns, const api::Amounts& amounts, std::optional<Time> latest,
           std::optional<Time> expected);
  void start(const Waiting& waiting, Time time);
  void decide(Time time, const Waiting* promised, std::vector<Estimate>& out);

  const Time now_;
  const Limits& limits_;
  const RunHistory& history_;
  std::map<Group, Running> groups_;
  std::multimap<Time, std::string> ends_;  // the keys in usage_ of those that end then
  Usage usage_;
  Pending pending_;
  std::size_t count_ = 0;  // of the keys in usage_ until now
};

// Nobody knows when one ends that should have ended.
std::optional<Time> Simulation::expected_end(const Running& running) const {
  if (running.end && *running.end <= now_) return std::nullopt;
  const Time started = running.started.value_or(now_);
  std::optional<seconds> limit;
  if (running.end) limit = *running.end - started;
  const auto lasts = history_.expected(running.ns, limit, now_ - started);
  if (!lasts) return std::nullopt;
  return rounded_up(started + *lasts, now_);
}

void Simulation::add(const Running& running) {
  const auto latest = running.end ? std::optional(rounded_up(*running.end, now_)) : std::nullopt;
  Group group{latest, expected_end(running), running.ns};
  Running& sum = groups_[std::move(group)];
  queueing::add(sum.amounts, running.amounts);
}

void Simulation::use(const std::string& ns, const api::Amounts& amounts, std::optional<Time> latest,
                     std::optional<Time> expected) {
  std::string key = std::to_string(++count_);
  if (expected) ends_.emplace(*expected, key);
  usage_.set({.key = std::move(key), .ns = ns, .amounts = amounts, .end = latest, .started = {}});
}

void Simulation::start(const Waiting& waiting, Time time) {
  std::optional<Time> latest = end_of(waiting, time), expected;
  if (latest) latest = rounded_up(*latest, now_);
  const auto lasts = history_.expected(waiting.ns, waiting.longest, seconds(0));
  if (lasts && *lasts < kHorizon) expected = rounded_up(time + *lasts, now_);
  use(waiting.ns, waiting.demand, latest, expected);
}

void Simulation::decide(Time time, const Waiting* promised, std::vector<Estimate>& out) {
  std::vector<Waiting> started;
  {
    const Schedule decision = schedule(time, limits_, usage_, pending_, promised);
    for (const Waiting* one : decision.admitted()) started.push_back(*one);
  }
  for (const Waiting& one : started) {
    pending_.erase(one);
    start(one, time);
    out.push_back({one.key(), time});
  }
}

std::vector<Estimate> Simulation::run(const Waiting* promised) {
  for (const auto& [group, sum] : std::exchange(groups_, {})) {
    use(std::get<2>(group), sum.amounts, std::get<0>(group), std::get<1>(group));
  }
  std::optional<Waiting> kept;
  if (promised != nullptr) kept = *promised;
  std::vector<Estimate> out;
  Time time = rounded_up(now_, now_);
  while (time <= now_ + kHorizon) {
    const auto head = kept ? pending_.find(*kept) : pending_.end();
    decide(time, head == pending_.end() ? nullptr : &*head, out);
    if (pending_.empty() || ends_.empty()) break;
    time = ends_.begin()->first;
    for (; !ends_.empty() && ends_.begin()->first == time; ends_.erase(ends_.begin())) {
      usage_.remove(ends_.begin()->second);
    }
  }
  return out;
}

}  // namespace

seconds step_of(seconds ahead) {
  if (ahead <= minutes(20)) return minutes(1);
  if (ahead <= hours(2)) return minutes(5);
  if (ahead <= hours(5)) return minutes(15);
  if (ahead <= hours(24)) return hours(1);
  if (ahead <= days(5)) return hours(6);
  return days(1);
}

Time rounded_up(Time time, Time now) {
  constexpr days kNoStep{3650};  // nobody reads such a time, and a sum cannot overflow
  if (time > now + kNoStep) return time;
  const Time later = std::max(time, now + seconds(1));
  const auto step = step_of(later - now);
  const auto since_epoch = later.time_since_epoch();
  const auto rest = since_epoch % step;
  return rest.count() == 0 ? later : later + (step - rest);
}

std::vector<Estimate> forecast(Time now, const Limits& limits, const Usage& usage,
                               const Pending& pending, const Waiting* promised,
                               const RunHistory& history) {
  Simulation simulation(now, limits, history);
  Snapshot snapshot(limits, usage);
  std::size_t count = 0;
  for (const Waiting& one : pending) {
    if (count == kMostEstimates) break;
    if (snapshot.never_fits(one.ns, one.demand)) continue;
    simulation.wait(one);
    ++count;
  }
  if (promised != nullptr) simulation.wait(*promised);
  for (const auto& [unused, running] : usage.running()) simulation.add(running);
  return simulation.run(promised);
}

}  // namespace mc::controller::queueing
