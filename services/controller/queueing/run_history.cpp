#include "services/controller/queueing/run_history.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mc::controller::queueing {
namespace {

using std::chrono::seconds;

// The share of its limit that a run used, in the seconds of `limit`. Its own limit, `of`, counts as
// a second at least.
seconds scaled(seconds took, seconds of, seconds limit) {
  const double share = static_cast<double>(took.count()) /
                       static_cast<double>(std::max<std::int64_t>(of.count(), 1));
  return std::min(limit, seconds(static_cast<std::int64_t>(std::min(share, 1.0) *
                                                           static_cast<double>(limit.count()))));
}

// Of two in the middle the longer one. `times` is not empty.
seconds median(std::vector<seconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace

void RunHistory::add(const std::string& ns, Run run) {
  std::set<Run>& runs = runs_[ns];
  if (std::ranges::find(runs, run.job, &Run::job) != runs.end()) return;
  runs.insert(std::move(run));
  if (runs.size() > kMostRuns) runs.erase(runs.begin());
}

std::optional<seconds> RunHistory::expected(std::string_view ns, std::optional<seconds> limit,
                                            seconds ran) const {
  const auto found = runs_.find(ns);
  if (found == runs_.end()) return limit;
  std::vector<seconds> times;
  std::size_t compared = 0;
  for (const Run& run : found->second) {
    if (limit && !run.limit) continue;
    ++compared;
    const seconds time = limit && run.limit ? scaled(run.took, *run.limit, *limit) : run.took;
    if (time > ran) times.push_back(time);
  }
  if (compared < kFewestRuns || times.empty()) return limit;
  return median(std::move(times));
}

}  // namespace mc::controller::queueing
