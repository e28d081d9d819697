#include "tests/services/controller/queueing/simulation.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace mc::controller::queueing::test {

std::vector<Time> simulate(const Limits& limits, const std::vector<Job>& jobs,
                           const std::function<void(const Moment&)>& watch) {
  Queue queue(limits);
  std::vector<Time> starts(jobs.size(), Time::max());
  std::unordered_map<std::string, std::size_t> index;
  std::multimap<Time, std::string> ends;
  std::size_t next = 0;
  while (next < jobs.size() || !ends.empty()) {
    Time now = Time::max();
    if (!ends.empty()) now = ends.begin()->first;
    if (next < jobs.size()) now = std::min(now, jobs[next].waiting.created);
    for (; !ends.empty() && ends.begin()->first == now; ends.erase(ends.begin())) {
      queue.release(ends.begin()->second);
    }
    for (; next < jobs.size() && jobs[next].waiting.created == now; ++next) {
      index.emplace(jobs[next].waiting.key(), next);
      queue.wait(jobs[next].waiting);
    }
    const std::vector<Waiting> started = queue.decide(now);
    for (const Waiting& one : started) {
      const std::size_t job = index.at(one.key());
      starts[job] = now;
      ends.emplace(now + jobs[job].runtime, one.key());
    }
    if (watch) watch({now, queue, started});
  }
  return starts;
}

}  // namespace mc::controller::queueing::test
