#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/api/model/quantity.h"

namespace mc::controller::queueing {

using Time = std::chrono::sys_seconds;

// A MiniCluster that counts: it was admitted, or has pods.
struct Running {
  std::string key;  // namespace/name
  std::string ns;
  api::Amounts amounts;
  // When it counts no more at the latest: startTime + deadlineSeconds + grace. nullopt: unknown.
  std::optional<Time> end;

  friend bool operator==(const Running&, const Running&) = default;
};

// Adds each of `more` to `sum`, and no name with 0: equal sums are then equal maps.
void add(api::Amounts& sum, const api::Amounts& more);

// What is used: the sums over all MiniClusters that count, updated with each change in
// O(log n). They equal the sums counted anew.
class Usage {
 public:
  Usage() = default;
  Usage(const Usage&) = delete;  // by_end_ refers to running_
  Usage& operator=(const Usage&) = delete;

  // Counts `running` beside what is counted for its key: pods of an earlier run may not have ended.
  void add(Running running);
  // Counts `running` instead of all that was counted for its key.
  void set(Running running);
  void remove(const std::string& key);

  // What is counted for the key, usually one.
  std::vector<const Running*> find(const std::string& key) const;

  // Sums without resources of which nothing is used.
  const api::Amounts& cluster() const { return cluster_; }
  const api::Amounts& in(std::string_view ns) const;

  // Those whose end is known, by end.
  using ByEnd = std::set<std::tuple<Time, std::string_view, const Running*>>;
  const ByEnd& by_end() const { return by_end_; }

 private:
  void subtract(const Running& gone);
  void recount();

  std::multimap<std::string, Running> running_;  // by key
  ByEnd by_end_;                                 // refers to running_
  api::Amounts cluster_;
  std::map<std::string, api::Amounts, std::less<>> namespaces_;
};

}  // namespace mc::controller::queueing
