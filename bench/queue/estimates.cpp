#include "bench/queue/estimates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "services/controller/queueing/forecast.h"
#include "services/controller/queueing/run_history.h"

namespace mc::bench {
namespace {

using controller::Time;
using controller::queueing::Estimate;
using controller::queueing::Limits;
using controller::queueing::RunHistory;
using controller::queueing::Waiting;
using controller::queueing::test::Arrival;
using controller::queueing::test::Moment;
using controller::queueing::test::simulate;
using std::chrono::seconds;

using FirstTold = std::unordered_map<std::string, Time>;

double quantile(std::vector<double> sorted, double share) {
  if (sorted.empty()) return 0;
  std::ranges::sort(sorted);
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

ToldStarts compared(const FirstTold& told, const std::vector<Arrival>& arrivals,
                    const std::vector<Time>& starts) {
  std::vector<double> late, early, miss;
  double held = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const auto found = told.find(arrivals[i].waiting.key());
    if (found == told.end()) continue;
    const auto difference = static_cast<double>((starts[i] - found->second).count());
    if (difference <= 0) ++held;
    late.push_back(difference);
    early.push_back(-difference);
    miss.push_back(std::abs(difference));
  }
  return {.count = miss.size(),
          .held = miss.empty() ? 0 : held / static_cast<double>(miss.size()),
          .median_miss = quantile(miss, 0.5),
          .p90_late = std::max(0.0, quantile(late, 0.9)),
          .p90_early = std::max(0.0, quantile(early, 0.9))};
}

// Learns of the runs that have ended until a moment.
class Watcher {
 public:
  explicit Watcher(const std::vector<Arrival>& arrivals) {
    for (const Arrival& one : arrivals) runtimes_[one.waiting.key()] = one.runtime;
  }

  void look(const Moment& moment) {
    for (; !ends_.empty() && ends_.begin()->first <= moment.now; ends_.erase(ends_.begin())) {
      const Waiting& one = ends_.begin()->second;
      history_.add(one.ns, {ends_.begin()->first, one.key(), runtimes_.at(one.key()), one.longest});
    }
    for (const Waiting& one : moment.started) {
      ends_.emplace(moment.now + runtimes_.at(one.key()), one);
    }
  }
  const RunHistory& history() const { return history_; }

 private:
  std::unordered_map<std::string, seconds> runtimes_;
  std::multimap<Time, Waiting> ends_;
  RunHistory history_;
};

void estimate(const Moment& moment, const RunHistory& history, FirstTold& told) {
  const auto& site = moment.site;
  const auto head = site.head ? site.pending.find(*site.head) : site.pending.end();
  for (const Estimate& one :
       controller::queueing::forecast(moment.now, site.limits, site.usage, site.pending,
                                      head == site.pending.end() ? nullptr : &*head, history)) {
    told.emplace(one.key, one.start);
  }
}

}  // namespace

ToldStarts promised_starts(const Limits& limits, const std::vector<Arrival>& arrivals) {
  FirstTold told;
  const auto starts = simulate(limits, arrivals, [&](const Moment& moment) {
    if (moment.site.promise) told.emplace(moment.site.head->key(), *moment.site.promise);
  });
  return compared(told, arrivals, starts);
}

ToldStarts estimated_starts(const Limits& limits, const std::vector<Arrival>& arrivals,
                            bool with_history) {
  FirstTold told;
  Watcher watcher(arrivals);
  const RunHistory none;
  const auto starts = simulate(limits, arrivals, [&](const Moment& moment) {
    watcher.look(moment);
    if (!moment.site.pending.empty()) {
      estimate(moment, with_history ? watcher.history() : none, told);
    }
  });
  return compared(told, arrivals, starts);
}

}  // namespace mc::bench
