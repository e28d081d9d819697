#include <CLI/CLI.hpp>
#include <memory>

#include "services/kubectl-minicluster/verbs/follow_flags.h"

// `attach`: what `run` does after the creation.
namespace mc::kubectl {
namespace {

struct AttachOptions {
  std::string name;
  FollowFlags follow;
};

int attach(const AttachOptions& options, const Context& context) {
  FollowSignals signals;
  auto session = Session::open(context.cluster);
  if (!session) return report(context.terminal, session.error());
  const auto found = session->minicluster(options.name);
  if (!found) return report(context.terminal, found.error());
  if (!options.follow.files.paths.empty() && integer_at(*found, {"spec", "lingerSeconds"}) == 0) {
    return report(
        context.terminal,
        "--copy-out: minicluster/" + options.name +
            " has no spec.lingerSeconds, so its lead does not stay after the command has ended");
  }
  Follow::Options follow;
  follow.leaves = true;
  if (const auto applied = apply(options.follow, follow); !applied)
    return report(context.terminal, applied.error());
  signals.hold();
  return Follow(context, *session, *found, std::move(follow), signals.mailbox()).run();
}

}  // namespace

void add_attach(const CommandLine& line) {
  auto options = std::make_shared<AttachOptions>();
  CLI::App& app =
      add_verb(line, "attach",
               "Follow a MiniCluster as `run` does: prints the output of its command\n"
               "from the beginning of the lead's log, and ends with the command's code.\n"
               "Ctrl-C ends only this command; the MiniCluster keeps running.",
               {"attach lammps"});
  add_name(app, options->name);
  add_follow_flags(app, options->follow);
  app.callback([options, &chosen = line.chosen] {
    chosen = [options](const Context& context) { return attach(*options, context); };
  });
}

}  // namespace mc::kubectl
