#include "tests/services/controller/queueing/simulation.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace mc::controller::queueing::test {

Schedule Site::schedule(Time now) const {
  const auto promised = head ? pending.find(*head) : pending.end();
  return queueing::schedule(now, limits, usage, pending,
                            promised == pending.end() ? nullptr : &*promised);
}

std::vector<Waiting> Site::decide(Time now) {
  std::vector<Waiting> started;
  {
    const Schedule decision = schedule(now);
    promise = decision.promise();
    head = promise ? std::optional(*decision.head()) : std::nullopt;
    for (const Waiting* one : decision.admitted()) started.push_back(*one);
  }
  for (const Waiting& one : started) {
    pending.erase(one);
    usage.set({one.key(), one.ns, one.demand, end_of(one, now), now});
  }
  return started;
}

std::vector<Time> simulate(const Limits& limits, const std::vector<Arrival>& arrivals,
                           const std::function<void(const Moment&)>& watch) {
  Site site{limits};
  std::vector<Time> starts(arrivals.size(), Time::max());
  std::unordered_map<std::string, std::size_t> index;
  std::multimap<Time, std::string> ends;
  std::size_t next = 0;
  while (next < arrivals.size() || !ends.empty()) {
    Time now = Time::max();
    if (!ends.empty()) now = ends.begin()->first;
    if (next < arrivals.size()) now = std::min(now, arrivals[next].waiting.created);
    for (; !ends.empty() && ends.begin()->first == now; ends.erase(ends.begin())) {
      site.usage.remove(ends.begin()->second);
    }
    for (; next < arrivals.size() && arrivals[next].waiting.created == now; ++next) {
      index.emplace(arrivals[next].waiting.key(), next);
      site.pending.insert(arrivals[next].waiting);
    }
    const std::vector<Waiting> started = site.decide(now);
    for (const Waiting& one : started) {
      const std::size_t arrival = index.at(one.key());
      starts[arrival] = now;
      ends.emplace(now + arrivals[arrival].runtime, one.key());
    }
    if (watch) watch({now, site, started});
  }
  return starts;
}

}  // namespace mc::controller::queueing::test
