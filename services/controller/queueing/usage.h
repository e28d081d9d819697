#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/model/quantity.h"
#include "services/controller/cluster/types.h"

// What is used of the limits. Pure.
namespace mc::controller::queueing {

// A MiniCluster that counts: it was admitted, or has pods.
struct Running {
  std::string key;  // namespace/name
  std::string ns;
  api::Amounts amounts;
  // When it counts no more at the latest: startTime + deadlineSeconds + grace. nullopt: unknown.
  std::optional<Time> end;
  std::optional<Time> started = {};  // or admitted, until its Job runs

  friend bool operator==(const Running&, const Running&) = default;
};

// Adds each of `more` to `sum`, and no name with 0: equal sums are then equal maps.
void add(api::Amounts& sum, const api::Amounts& more);

// What is used of the resources that `hard` limits: each of them, also with 0.
api::Amounts used_of(const api::Amounts& hard, const api::Amounts& used);

// The sums over all MiniClusters that count, updated with each change in O(log n). They equal the
// sums counted anew.
class Usage {
 public:
  Usage() = default;
  Usage(const Usage&) = delete;  // by_end_ refers to running_
  Usage& operator=(const Usage&) = delete;

  // Counts `running` instead of what was counted for its key.
  void set(Running running);
  void remove(const std::string& key);

  // Sums without resources of which nothing is used.
  const api::Amounts& cluster() const { return cluster_; }
  const api::Amounts& in(std::string_view ns) const;
  std::size_t size() const { return running_.size(); }                        // MiniClusters
  const std::map<std::string, Running>& running() const { return running_; }  // by key

  // Those whose end is known, by end.
  using ByEnd = std::set<std::pair<Time, const Running*>>;
  const ByEnd& by_end() const { return by_end_; }

 private:
  void subtract(const Running& gone);
  void recount();

  std::map<std::string, Running> running_;  // by key
  ByEnd by_end_;
  api::Amounts cluster_;
  std::map<std::string, api::Amounts, std::less<>> namespaces_;
};

}  // namespace mc::controller::queueing
