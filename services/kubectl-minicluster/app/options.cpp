#include "services/kubectl-minicluster/app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "common/base/version.h"
#include "services/kubectl-minicluster/app/completion.h"
#include "services/kubectl-minicluster/view/verb_names.h"

namespace mc::kubectl {
namespace {

void add_cluster(CLI::App& app, ClusterFlags& flags) {
  app.add_option("--kubeconfig", flags.kubeconfig, "As in kubectl")->type_name("FILE");
  app.add_option("--context", flags.context, "As in kubectl")->type_name("NAME");
  app.add_option("-n,--namespace", flags.ns, "As in kubectl. In `run`, -n is the number of tasks")
      ->type_name("NAMESPACE");
  add_duration(app, "--request-timeout", flags.request_timeout,
               "Longest time until the first answer of the cluster",
               {std::chrono::milliseconds(1), std::chrono::hours(1)});
}

// Instead of an unexpected argument, a verb that does not exist.
void explain_verb(const CLI::App& app, Exit& exit) {
  if (exit.code == 0 || !app.get_subcommands().empty()) return;
  const auto words = app.remaining();
  if (words.empty() || words.front().starts_with('-')) return;
  std::vector<std::string> verbs;
  for (const CLI::App* const verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  exit.text = "error: " + unknown_verb(words.front(), verbs) + "\n";
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  const char* const* const end = argv + argc;
  const char* const* const dashes = std::find(argv, end, std::string_view("--"));
  const std::vector<std::string> command(std::min(dashes + 1, end), end);
  CLI::App app(
      "Run commands in MiniClusters, HPC clusters inside Kubernetes, and look at them.\n"
      "`kubectl minicluster VERB --help` has examples.",
      "kubectl minicluster");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", "kubectl-minicluster " + version());
  app.require_subcommand(1);
  add_cluster(app, options.cluster);
  const CommandLine line{.app = app, .command = command, .chosen = options.verb};
  add_run(line);
  add_submit(line);
  add_attach(line);
  add_wait(line);
  add_get(line);
  add_explain(line);
  add_logs(line);
  add_exec(line);
  add_change(line);
  add_offline(line);
  if (asks_for_candidates(*argv)) {
    return Options{options.cluster, print_candidates(complete(app, {argv + 1, end}))};
  }
  if (auto exit = parse(app, static_cast<int>(dashes - argv), argv)) {
    explain_verb(app, *exit);
    return std::unexpected(*std::move(exit));
  }
  return options;
}

}  // namespace mc::kubectl
