#pragma once
#include <chrono>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "services/controller/cluster/types.h"

// What the last runs of each namespace took, because users ask for more time than they need. Pure.
namespace mc::controller::queueing {

// A Job that ran and has ended.
struct Run {
  Time ended;
  std::string job;                            // its uid
  std::chrono::seconds took{0};               // from its start
  std::optional<std::chrono::seconds> limit;  // how long it could run at most; nullopt: unknown

  friend auto operator<=>(const Run&, const Run&) = default;
};

// Runs that are remembered for each namespace, and how many of them must exist before anything is
// concluded from them.
inline constexpr std::size_t kMostRuns = 20, kFewestRuns = 3;

// The last kMostRuns runs of each namespace.
class RunHistory {
 public:
  // Counts each Job once.
  void add(const std::string& ns, Run run);

  // How long a run of this namespace lasts in all that has lasted `ran` until now and may last
  // `limit`: the median of the namespace's runs that lasted longer than that. With a limit, runs
  // are compared by the share of their limit that they used (Tsafrir et al., "Backfilling Using
  // System-Generated Predictions Rather than User Runtime Estimates", 2007), without one by their
  // time. `limit` if there are too few runs, or if none lasted as long as this one has: nullopt
  // then means unknown.
  std::optional<std::chrono::seconds> expected(std::string_view ns,
                                               std::optional<std::chrono::seconds> limit,
                                               std::chrono::seconds ran) const;

 private:
  std::map<std::string, std::set<Run>, std::less<>> runs_;  // by namespace, oldest first
};

}  // namespace mc::controller::queueing
