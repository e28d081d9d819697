#include "bench/queue/fairness.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "bench/queue/lublin.h"

namespace mc::bench {
namespace {

using controller::Time;
using controller::queueing::test::Arrival;
using Seconds = std::chrono::duration<double>;

double nodes_of(const Arrival& job) {
  return static_cast<double>(job.waiting.demand.at("pods").nano()) / 1e9;
}

// Node seconds from `start` to the end of the week, at most those of the job.
double within_week(const Arrival& job, Time start, Time end) {
  const Seconds time = std::min<Seconds>(job.runtime, end - start);
  return std::max(0.0, time.count()) * nodes_of(job);
}

double slowdown_of(const Arrival& job, Time start) {
  const Seconds wait = start - job.waiting.created, runtime = job.runtime;
  return std::max(1.0, (wait + runtime) / std::max(runtime, Seconds(10)));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double jain_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value / static_cast<double>(values.size());
  return mean(values) * mean(values) / squares;
}

struct Account {
  double asked = 0, got = 0;  // node seconds in the week
};

std::set<std::string> lightest_half(const std::map<std::string, Account>& accounts) {
  std::vector<std::pair<double, std::string>> by_demand;
  by_demand.reserve(accounts.size());
  for (const auto& [ns, account] : accounts) by_demand.emplace_back(account.asked, ns);
  std::ranges::sort(by_demand);
  std::set<std::string> out;
  for (std::size_t i = 0; i < by_demand.size() / 2; ++i) out.insert(by_demand[i].second);
  return out;
}

double jain_of(const std::map<std::string, Account>& accounts) {
  std::vector<double> asked, relation;
  double all = 0;
  for (const auto& [unused, account] : accounts) {
    asked.push_back(account.asked);
    all += account.got;
  }
  const std::vector<double> parts = fair_parts(asked, all);
  for (const auto& [unused, account] : accounts) {
    relation.push_back(account.got / parts[relation.size()]);
  }
  return jain_of(relation);
}

}  // namespace

std::vector<double> fair_parts(const std::vector<double>& asked, double all) {
  std::vector<std::size_t> by_demand(asked.size());
  std::iota(by_demand.begin(), by_demand.end(), std::size_t{0});
  std::ranges::sort(by_demand, {}, [&](std::size_t i) { return asked[i]; });
  std::vector<double> out(asked.size());
  std::size_t left = asked.size();
  for (const std::size_t i : by_demand) {
    out[i] = std::min(asked[i], all / static_cast<double>(left));
    all -= out[i];
    --left;
  }
  return out;
}

Fairness fairness_of(const std::vector<Arrival>& jobs, const std::vector<Time>& starts,
                     Time week_begin) {
  const Time end = week_begin + kWeek;
  std::map<std::string, Account> accounts;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Account& account = accounts[jobs[i].waiting.ns];
    account.asked += within_week(jobs[i], jobs[i].waiting.created, end);
    account.got += within_week(jobs[i], starts[i], end);
  }
  const std::set<std::string> light = lightest_half(accounts);
  std::vector<double> all_slowdowns, light_slowdowns, light_waits;
  Fairness out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double wait = Seconds(starts[i] - jobs[i].waiting.created).count();
    out.longest_wait = std::max(out.longest_wait, wait);
    all_slowdowns.push_back(slowdown_of(jobs[i], starts[i]));
    if (!light.contains(jobs[i].waiting.ns)) continue;
    light_slowdowns.push_back(all_slowdowns.back());
    light_waits.push_back(wait);
  }
  std::ranges::sort(light_waits);
  out.jain = jain_of(accounts);
  out.slowdown = mean(all_slowdowns);
  out.light_slowdown = mean(light_slowdowns);
  out.light_p95_wait = light_waits[light_waits.size() * 95 / 100];
  return out;
}

}  // namespace mc::bench
