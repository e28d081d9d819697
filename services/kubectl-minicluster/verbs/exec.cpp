#include "services/kubectl-minicluster/view/exec.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "common/base/arguments.h"
#include "services/kubectl-minicluster/verbs/exec_kubectl.h"
#include "services/kubectl-minicluster/verbs/exec_signals.h"

// The verbs that run something in a pod. On a terminal they become `kubectl exec`, which passes
// everything typed there on.
namespace mc::kubectl {
namespace {

using Words = std::vector<std::string>;

int enter(const Rank& rank, const Inside& inside, Program program, const Context& context) {
  if (!context.terminal.in_is_terminal || !context.terminal.out_is_terminal)
    return run_with_signals(rank, inside, program, context);
  return exec_kubectl(rank,
                      {.target = running_target,
                       .arguments =
                           [&](const Target& target, const json& minicluster) {
                             return exec_arguments(target, inside(minicluster), true);
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
      return enter(*rank, [&](const json&) { return command; }, Program::Any, context);
    };
  });
}

Verb flux_verb(const std::shared_ptr<Rank>& lead, Words arguments) {
  return [lead, arguments = std::move(arguments)](const Context& context) {
    return enter(
        *lead, [&](const json& minicluster) { return flux_command(minicluster, arguments); },
        Program::Flux, context);
  };
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
    chosen = flux_verb(rank, line_command);
  });
}

void add_jobs(const CommandLine& line) {
  auto lead = std::make_shared<Rank>();
  CLI::App& app =
      add_verb(line, "jobs",
               "List the jobs of Flux in a MiniCluster that runs: `flux jobs -a`, with\n"
               "the flags after `--`",
               {"jobs lammps", "jobs lammps -- --stats-only"});
  add_name(app, lead->name);
  app.callback([lead, &line_command = line.command, &chosen = line.chosen] {
    Words arguments = {"jobs", "-a"};
    arguments.insert(arguments.end(), line_command.begin(), line_command.end());
    chosen = flux_verb(lead, arguments);
  });
}

void add_top(const CommandLine& line) {
  auto lead = std::make_shared<Rank>();
  CLI::App& app =
      add_verb(line, "top",
               "Watch the jobs and resources of Flux in a MiniCluster that runs: `flux\n"
               "top`, on a terminal",
               {"top lammps"});
  add_name(app, lead->name);
  on_choice(line, app, [lead](const Context& context) {
    if (!context.terminal.in_is_terminal || !context.terminal.out_is_terminal) {
      return report(context.terminal,
                    "top needs a terminal; `kubectl minicluster jobs NAME` needs none",
                    kUsageError);
    }
    return flux_verb(lead, {"top"})(context);
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
  on_choice(line, app, [rank](const Context& context) {
    return enter(*rank, shell_command, Program::Any, context);
  });
}

}  // namespace

void add_exec(const CommandLine& line) {
  add_command(line);
  add_flux(line);
  add_jobs(line);
  add_top(line);
  add_shell(line);
}

}  // namespace mc::kubectl
