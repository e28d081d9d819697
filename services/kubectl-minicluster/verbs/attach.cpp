#include <CLI/CLI.hpp>
#include <memory>

#include "services/kubectl-minicluster/verbs/run_follow.h"

// `attach`: what `run` does after the creation.
namespace mc::kubectl {
namespace {

int attach(const std::string& name, const Context& context) {
  FollowSignals signals;
  auto session = Session::open(context.cluster);
  if (!session) return report(context.terminal, session.error());
  const auto found = session->minicluster(name);
  if (!found) return report(context.terminal, found.error());
  signals.hold();
  return Follow(context, *session, *found, {.leaves = true}, signals.mailbox()).run();
}

}  // namespace

void add_attach(const CommandLine& line) {
  auto name = std::make_shared<std::string>();
  CLI::App& app =
      add_verb(line, "attach",
               "Follow a MiniCluster as `run` does: prints the output of its command\n"
               "from the beginning of the lead's log, and ends with the command's code.\n"
               "Ctrl-C ends only this; the MiniCluster runs on.",
               {"attach lammps"});
  add_name(app, *name);
  app.callback([name, &chosen = line.chosen] {
    chosen = [name](const Context& context) { return attach(*name, context); };
  });
}

}  // namespace mc::kubectl
