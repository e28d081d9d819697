#include "services/kubectl-minicluster/verbs/exec_kubectl.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "common/api/model/names.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {

void add_rank(CLI::App& verb, std::int64_t& rank) {
  verb.add_option("--rank", rank, "Rank of the broker; 0 is the lead")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
}

Result<TargetOfRank> target_of(const Session& session, const Rank& rank, FindTarget& find) {
  auto minicluster = session.minicluster(rank.name);
  if (!minicluster) return std::unexpected(minicluster.error());
  const std::string selector = selector_of_pods(*minicluster) + "," +
                               std::string(api::kJobIndexLabel) + "=" + std::to_string(rank.number);
  const auto pods =
      session.client().list(kube::kPods, session.namespace_name(), {.label_selector = selector});
  if (!pods) return std::unexpected(pods.error());
  auto target = find(*minicluster, items_at(*pods, {"items"}), rank.number);
  if (!target) return std::unexpected(target.error());
  return TargetOfRank{*std::move(target), *std::move(minicluster)};
}

// The session ends here, with its proxy.
Result<KubectlCommand> kubectl_command(const Rank& rank, const ContainerCommand& command,
                                       const ClusterFlags& flags) {
  const auto session = Session::open(flags);
  if (!session) return std::unexpected(session.error());
  const auto found = target_of(*session, rank, *command.target);
  if (!found) return std::unexpected(found.error());
  return KubectlCommand{session->kubectl(), command.arguments(found->target, found->minicluster)};
}

int exec_kubectl(const Rank& rank, const ContainerCommand& command, const Context& context) {
  const auto found = kubectl_command(rank, command, context.cluster);
  if (!found) return report(context.terminal, found.error());
  return report(context.terminal, found->kubectl.exec(found->arguments));
}

}  // namespace mc::kubectl
