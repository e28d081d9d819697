#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "common/api/check.h"
#include "common/base/arguments.h"
#include "common/render/command.h"
#include "services/kubectl-minicluster/verbs/verb.h"

// The verbs that need no cluster: the same code as `minicluster-webhook check` and
// `minicluster-controller render`.
namespace mc::kubectl {
namespace {

void add_check(const CommandLine& line) {
  auto options = std::make_shared<api::CheckOptions>();
  CLI::App& app = add_verb(line, "check",
                           "Validate the MiniClusters and FluxSetups in files, without a cluster.\n"
                           "Exit code: 0 if all are accepted, 1 if one is refused, 2 if a file\n"
                           "cannot be read.",
                           {"check -f lammps.yaml"});
  add_files(app, options->files);
  app.add_option_function<std::string>(
         "-o,--output", [options](const std::string& format) { options->json = format == "json"; },
         "Output format. json: one JSON document. Default: text")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json"}));
  api::add_field_validation(app, options->fields);
  on_choice(line, app, [options](const Context& context) {
    return api::check(*options, std::cin, context.terminal.out, context.terminal.err);
  });
}

void add_render(const CommandLine& line) {
  auto options = std::make_shared<render::RenderOptions>();
  CLI::App& app = add_verb(line, "render",
                           "Print the objects of the MiniClusters in files as YAML, without a\n"
                           "cluster. Exit code: 0 if all were rendered, 1 if one was refused, 2\n"
                           "if a file cannot be read.",
                           {"render -f lammps.yaml"});
  add_files(app, options->files);
  app.add_flag("--with-secrets", options->with_secrets,
               "Print a new curve certificate instead of a placeholder");
  api::add_field_validation(app, options->fields);
  on_choice(line, app, [options](const Context& context) {
    return render::render_command(*options, std::cin, context.terminal.out, context.terminal.err);
  });
}

}  // namespace

void add_offline(const CommandLine& line) {
  add_check(line);
  add_render(line);
}

}  // namespace mc::kubectl
