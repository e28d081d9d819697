#include "services/kubectl-minicluster/view/exec.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "services/kubectl-minicluster/verbs/hand_over.h"

// The verbs that run something in a pod. They become `kubectl exec`.
namespace mc::kubectl {
namespace {

using Words = std::vector<std::string>;

// What runs in the container.
using Inside = std::function<Words(const json& minicluster)>;

int enter(const Rank& rank, const Inside& inside, const Context& context) {
  const bool terminal = context.terminal.in_is_terminal && context.terminal.out_is_terminal;
  return hand_over(rank,
                   {.target = running_target,
                    .arguments =
                        [&](const Target& target, const json& minicluster) {
                          return exec_arguments(target, inside(minicluster), terminal);
                        }},
                   context);
}

void require_command(const Words& command) {
  if (command.empty()) throw CLI::RequiredError("`-- COMMAND`");
}

void add_command(const CommandLine& line) {
  auto rank = std::make_shared<Rank>();
  CLI::App& app =
      add_verb(line, "exec",
               "Run the command after `--` in the container that runs Flux. Exit code:\n"
               "that of the command.",
               {"exec lammps -- ls -l", "exec lammps --rank 3 -- nvidia-smi",
                "exec lammps -- tee in.lj <in.lj"});
  add_name(app, rank->name);
  add_rank(app, rank->number);
  app.callback([rank, &line_command = line.command, &chosen = line.chosen] {
    require_command(line_command);
    chosen = [rank, command = line_command](const Context& context) {
      return enter(*rank, [&](const json&) { return command; }, context);
    };
  });
}

void add_flux(const CommandLine& line) {
  auto rank = std::make_shared<Rank>();
  CLI::App& app =
      add_verb(line, "flux",
               "Run flux with the arguments after `--` in the lead's container, connected to\n"
               "the running instance. Exit code: that of flux. The command of the MiniCluster\n"
               "is a job there; `flux run` waits while that job has the nodes.",
               {"flux lammps -- jobs -a", "flux lammps -- resource list", "flux lammps -- top"});
  add_name(app, rank->name);
  app.callback([rank, &line_command = line.command, &chosen = line.chosen] {
    require_command(line_command);
    chosen = [rank, arguments = line_command](const Context& context) {
      return enter(
          *rank, [&](const json& minicluster) { return flux_command(minicluster, arguments); },
          context);
    };
  });
}

void add_shell(const CommandLine& line) {
  auto rank = std::make_shared<Rank>();
  CLI::App& app = add_verb(line, "shell",
                           "Open a shell in the container that runs Flux: bash if the image has\n"
                           "it, otherwise sh. In it, flux is connected to the running instance.",
                           {"shell lammps"});
  add_name(app, rank->name);
  add_rank(app, rank->number);
  app.callback([rank, &chosen = line.chosen] {
    chosen = [rank](const Context& context) { return enter(*rank, shell_command, context); };
  });
}

}  // namespace

void add_exec(const CommandLine& line) {
  add_command(line);
  add_flux(line);
  add_shell(line);
}

}  // namespace mc::kubectl
