#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "common/base/arguments.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "services/api_resources.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/verbs/verb.h"

// The verbs that change a MiniCluster.
namespace mc::kubectl {
namespace {

struct ChangeOptions {
  std::string name;
  int size = 0;
  bool wait = true, yes = false;
};

// Patches the spec and says `minicluster/NAME DONE`.
int change(const std::string& name, const json& spec, const char* done, const Context& context) {
  const auto session = Session::open(context.cluster);
  if (!session) return report(context.terminal, session.error());
  const auto changed = session->client().patch(kMiniClusters, session->namespace_name(), name,
                                               kube::PatchType::Merge, {{"spec", spec}});
  if (!changed) return report(context.terminal, changed.error());
  context.terminal.out << "minicluster/" << name << " " << done << "\n";
  return 0;
}

// kubectl's own delete: it waits, and says what it deletes.
int remove(const ChangeOptions& options, const Context& context) {
  const auto kubectl = Kubectl::find(context.cluster);
  if (!kubectl) return report(context.terminal, kubectl.error());
  return report(context.terminal,
                kubectl->exec({"delete", "miniclusters.flux-framework.org", options.name,
                               options.wait ? "--wait=true" : "--wait=false"}));
}

// As `delete` without waiting, once the user has agreed.
int cancel(const ChangeOptions& options, const Context& context) {
  const Terminal& terminal = context.terminal;
  if (!options.yes) {
    if (!terminal.in_is_terminal || !terminal.err_is_terminal) {
      return report(
          terminal,
          "cannot ask for confirmation without a terminal; use --yes to delete minicluster/" +
              options.name,
          kUsageError);
    }
    terminal.err << "Delete minicluster/" << one_line(options.name)
                 << " with its pods and their logs? [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    if (answer != "y" && answer != "Y" && answer != "yes") {
      terminal.err << "not deleted\n";
      return kFailed;
    }
  }
  return remove(options, context);
}

void add_suspension(const CommandLine& line, const char* verb, const char* help, bool suspend) {
  auto options = std::make_shared<ChangeOptions>();
  CLI::App& app = add_verb(line, verb, help, {std::string(verb) + " lammps"});
  add_name(app, options->name);
  on_choice(line, app, [options, suspend](const Context& context) {
    return change(options->name, {{"suspend", suspend}}, suspend ? "suspended" : "resumed",
                  context);
  });
}

void add_scale(const CommandLine& line) {
  auto options = std::make_shared<ChangeOptions>();
  CLI::App& app =
      add_verb(line, "scale", "Change the number of pods, up to spec.maxSize", {"scale lammps 8"});
  add_name(app, options->name);
  app.add_option("SIZE", options->size, "Number of pods")->required()->type_name("");
  on_choice(line, app, [options](const Context& context) {
    return change(options->name, {{"size", options->size}}, "scaled", context);
  });
}

void add_delete(const CommandLine& line) {
  auto options = std::make_shared<ChangeOptions>();
  CLI::App& app = add_verb(line, "delete", "Delete a MiniCluster with its pods and their logs",
                           {"delete lammps"});
  add_name(app, options->name);
  app.add_flag("--wait", options->wait, "Wait until it is gone")->default_str("true");
  on_choice(line, app, [options](const Context& context) { return remove(*options, context); });
}

void add_cancel(const CommandLine& line) {
  auto options = std::make_shared<ChangeOptions>();
  options->wait = false;
  CLI::App& app =
      add_verb(line, "cancel", "Ask, then delete a MiniCluster with its pods and their logs",
               {"cancel lammps", "cancel lammps --yes"});
  add_name(app, options->name);
  app.add_flag("-y,--yes", options->yes, "Do not ask; needed where there is no terminal");
  on_choice(line, app, [options](const Context& context) { return cancel(*options, context); });
}

}  // namespace

void add_change(const CommandLine& line) {
  add_suspension(line, "suspend", "Delete the pods and keep everything else", true);
  add_suspension(line, "resume", "Create new pods; the command runs from the beginning", false);
  add_scale(line);
  add_delete(line);
  add_cancel(line);
}

}  // namespace mc::kubectl
