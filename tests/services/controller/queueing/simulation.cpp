#include "tests/services/controller/queueing/simulation.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace mc::controller::queueing::test {

Schedule Site::schedule(Time now) const {
  const auto promised = head ? pending.find(*head) : pending.end();
  return queueing::schedule(now, limits, usage, pending,
                            promised == pending.end() ? nullptr : &*promised);
}

void Site::share(Time now) {
  if (!fair_share) return;
  const auto account_of = [](const Waiting& one) { return Account{one.ns, one.account}; };
  std::set<Account> accounts;
  for (const Waiting& one : pending) accounts.insert(account_of(one));
  const bool is_known = std::ranges::all_of(
      accounts, [&](const Account& one) { return fair_share->find(one) != nullptr; });
  if (fair_share->is_due(now) || !is_known) fair_share->refresh(now, accounts);
  Pending in_order;
  for (Waiting one : pending) {
    one.ahead = fair_share->ahead_of(account_of(one));
    if (head && head->key() == one.key()) head = one;
    in_order.insert(std::move(one));
  }
  pending = std::move(in_order);
}

void Site::end(const std::string& key, Time now) {
  if (fair_share) fair_share->set(key, {}, {}, now);
  usage.remove(key);
}

std::vector<Waiting> Site::decide(Time now) {
  share(now);
  std::vector<Waiting> started;
  {
    const Schedule decision = schedule(now);
    promise = decision.promise();
    head = promise ? std::optional(*decision.head()) : std::nullopt;
    for (const Waiting* one : decision.admitted()) started.push_back(*one);
  }
  for (const Waiting& one : started) {
    pending.erase(one);
    if (fair_share) fair_share->set(one.key(), {one.ns, one.account}, one.demand, now);
    usage.set({one.key(), one.ns, one.demand, end_of(one, now), now});
  }
  return started;
}

std::vector<Time> simulate(const Limits& limits, const std::vector<Arrival>& arrivals,
                           const std::function<void(const Moment&)>& watch,
                           const std::optional<FairSharePolicy>& fair_share) {
  Site site{limits};
  if (fair_share) site.fair_share.emplace(*fair_share, limits.hard);
  std::vector<Time> starts(arrivals.size(), Time::max());
  std::unordered_map<std::string, std::size_t> index;
  std::multimap<Time, std::string> ends;
  std::size_t next = 0;
  while (next < arrivals.size() || !ends.empty()) {
    Time now = Time::max();
    if (!ends.empty()) now = ends.begin()->first;
    if (next < arrivals.size()) now = std::min(now, arrivals[next].waiting.created);
    for (; !ends.empty() && ends.begin()->first == now; ends.erase(ends.begin())) {
      site.end(ends.begin()->second, now);
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
