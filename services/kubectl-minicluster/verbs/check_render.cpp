#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "common/commands/flags.h"
#include "services/kubectl-minicluster/verbs/verb.h"

// The verbs that need no cluster: the same code as `minicluster-webhook check` and
// `minicluster-controller render`.
namespace mc::kubectl {
namespace {

void add_check(const CommandLine& line) {
  auto options = std::make_shared<commands::CheckOptions>();
  CLI::App& app = add_verb(line, "check",
                           "Validate the MiniClusters and FluxSetups in files, without a cluster.\n"
                           "Exit code: 0 if all are accepted, 1 if one is refused, 2 if a file\n"
                           "cannot be read.",
                           {"check -f lammps.yaml"});
  commands::add_check_flags(app, *options);
  on_choice(line, app, [options](const Context& context) {
    return commands::check(*options, std::cin, context.terminal.out, context.terminal.err);
  });
}

void add_render(const CommandLine& line) {
  auto options = std::make_shared<commands::RenderOptions>();
  CLI::App& app = add_verb(line, "render",
                           "Print the objects of the MiniClusters in files as YAML, without a\n"
                           "cluster. Exit code: 0 if all were rendered, 1 if one was refused, 2\n"
                           "if a file cannot be read.",
                           {"render -f lammps.yaml"});
  commands::add_render_flags(app, *options);
  on_choice(line, app, [options](const Context& context) {
    return commands::render(*options, std::cin, context.terminal.out, context.terminal.err);
  });
}

}  // namespace

void add_check_and_render(const CommandLine& line) {
  add_check(line);
  add_render(line);
}

}  // namespace mc::kubectl
