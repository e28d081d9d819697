#include "services/kubectl-minicluster/verbs/hand_over.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "common/api/model/names.h"
#include "services/kubectl-minicluster/cluster/session.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {

// The session ends here, with its proxy.
Result<Prepared> prepare(const Rank& rank, const HandOver& to, const ClusterFlags& flags) {
  const auto session = Session::open(flags);
  if (!session) return std::unexpected(session.error());
  const auto minicluster = session->minicluster(rank.name);
  if (!minicluster) return std::unexpected(minicluster.error());
  const std::string selector = selector_of_pods(*minicluster) + "," +
                               std::string(api::kJobIndexLabel) + "=" + std::to_string(rank.number);
  const auto pods =
      session->client().list(kube::kPods, session->namespace_name(), {.label_selector = selector});
  if (!pods) return std::unexpected(pods.error());
  const auto target = to.target(*minicluster, items_at(*pods, {"items"}), rank.number);
  if (!target) return std::unexpected(target.error());
  return Prepared{session->kubectl(), to.arguments(*target, *minicluster)};
}

void add_rank(CLI::App& verb, std::int64_t& rank) {
  verb.add_option("--rank", rank, "Rank of the broker; 0 is the lead")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
}

int hand_over(const Rank& rank, const HandOver& to, const Context& context) {
  const auto command = prepare(rank, to, context.cluster);
  if (!command) return report(context.terminal, command.error());
  return report(context.terminal, command->kubectl.exec(command->arguments));
}

}  // namespace mc::kubectl
