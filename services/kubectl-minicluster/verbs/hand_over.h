#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/target.h"

namespace mc::kubectl {

// A rank of a MiniCluster, as on the command line.
struct Rank {
  std::string name;  // of the MiniCluster
  std::int64_t number = 0;
};

void add_rank(CLI::App& verb, std::int64_t& rank);

// What kubectl does for a verb, in the container that runs Flux.
struct HandOver {
  // The container; running_target or started_target.
  Result<Target> (*target)(const json&, const std::vector<json>&, std::int64_t);
  // kubectl's arguments.
  std::function<std::vector<std::string>(const Target&, const json& minicluster)> arguments;
};

// kubectl with these arguments.
struct Prepared {
  Kubectl kubectl;
  std::vector<std::string> arguments;
};

// Finds the container of the rank. Nothing that it has started is left.
[[nodiscard]] Result<Prepared> prepare(const Rank& rank, const HandOver& to,
                                       const ClusterFlags& flags);

// Finds the container of the rank, ends all that we have started, and becomes kubectl, whose exit
// code is then ours. Returns only on an error, which it reports.
int hand_over(const Rank& rank, const HandOver& to, const Context& context);

}  // namespace mc::kubectl
