#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/target.h"

namespace mc::kubectl {

// A rank of a MiniCluster, as on the command line.
struct Rank {
  std::string name;  // of the MiniCluster
  std::int64_t number = 0;
};

void add_rank(CLI::App& verb, std::int64_t& rank);

// Finds the container that runs Flux in the pod of a rank: running_target or started_target.
using FindTarget = Result<Target>(const json& minicluster, const std::vector<json>& pods,
                                  std::int64_t rank);

// The container of the rank, and its MiniCluster.
struct TargetOfRank {
  Target target;
  json minicluster;
};
[[nodiscard]] Result<TargetOfRank> target_of(const Session& session, const Rank& rank,
                                             FindTarget& find);

// What kubectl does for a verb in a container.
struct ContainerCommand {
  FindTarget* target;
  // kubectl's arguments.
  std::function<std::vector<std::string>(const Target&, const json& minicluster)> arguments;
};

// kubectl with these arguments.
struct KubectlCommand {
  Kubectl kubectl;
  std::vector<std::string> arguments;
};

// Finds the container of the rank. Nothing that it has started is left.
[[nodiscard]] Result<KubectlCommand> kubectl_command(const Rank& rank,
                                                     const ContainerCommand& command,
                                                     const ClusterFlags& flags);

// Finds the container of the rank, ends all that we have started, and becomes kubectl, whose exit
// code is then ours. Returns only on an error, which it reports.
int exec_kubectl(const Rank& rank, const ContainerCommand& command, const Context& context);

}  // namespace mc::kubectl
