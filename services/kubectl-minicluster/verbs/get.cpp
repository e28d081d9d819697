#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "common/api/model/reasons.h"
#include "common/base/clock.h"
#include "services/api_resources.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/client/stop_requests.h"
#include "services/kubectl-minicluster/verbs/get_watch.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/get_table.h"

namespace mc::kubectl {
namespace {

struct GetOptions {
  std::string name, output, phase, selector;
  bool all = false, watch = false, starts = false;
};

std::string field_selector(const GetOptions& options) {
  return options.phase.empty() ? "" : "status.phase=" + options.phase;
}

// kubectl has every other format.
int exec_kubectl(const GetOptions& options, const Context& context) {
  const auto kubectl = Kubectl::find(context.cluster);
  if (!kubectl) return report(context.terminal, kubectl.error());
  std::vector<std::string> arguments = {"get", "miniclusters.flux-framework.org",
                                        "--output=" + options.output};
  if (!options.name.empty()) arguments.push_back(options.name);
  if (options.all) arguments.emplace_back("--all-namespaces");
  if (!options.selector.empty()) arguments.push_back("--selector=" + options.selector);
  if (!options.phase.empty()) arguments.push_back("--field-selector=" + field_selector(options));
  if (options.watch) arguments.emplace_back("--watch");
  return report(context.terminal, kubectl->exec(arguments));
}

Result<std::vector<json>> miniclusters(const Session& session, const GetOptions& options) {
  if (!options.name.empty()) {
    auto one = session.minicluster(options.name);
    if (!one) return std::unexpected(one.error());
    return std::vector<json>{*std::move(one)};
  }
  const auto list = session.client().list(
      kMiniClusters, options.all ? "" : session.namespace_name(),
      {.label_selector = options.selector, .field_selector = field_selector(options)});
  if (!list) return std::unexpected(list.error());
  return items_at(*list, {"items"});
}

int print_table(const std::vector<json>& found, const GetOptions& options, const Session& session,
                const Terminal& terminal) {
  if (found.empty()) {
    terminal.err << (options.all
                         ? std::string("No resources found")
                         : "No resources found in " + session.namespace_name() + " namespace.")
                 << "\n";
    return 0;
  }
  const GetColumns columns{.namespaces = options.all, .starts = options.starts};
  const auto rows = get_table(found, columns, SystemClock().wall());
  return print_lines(lines_of(rows, layout_of(terminal)), terminal);
}

int get(const GetOptions& options, const Context& context) {
  if (!options.output.empty()) return exec_kubectl(options, context);
  std::optional<StopRequests> requests;
  if (options.watch) requests.emplace(end_at_once);
  const auto session = Session::open(context.cluster);
  if (!session) return report(context.terminal, session.error());
  // Errors that do not pass, such as a missing right, are found here.
  const auto found = miniclusters(*session, options);
  if (!found) return report(context.terminal, found.error());
  if (!options.watch) return print_table(*found, options, *session, context.terminal);
  return watch_miniclusters({.name = options.name,
                             .selector = options.selector,
                             .all_namespaces = options.all,
                             .starts = options.starts},
                            *session, context.terminal);
}

}  // namespace

void add_get(const CommandLine& line) {
  auto options = std::make_shared<GetOptions>();
  CLI::App& app =
      add_verb(line, "get",
               "List MiniClusters as squeue lists jobs: pods and how many of them are\n"
               "ready, phase and why, place in a FluxSetup's queue, age, and what is\n"
               "left of deadlineSeconds.",
               {"get", "get -A -w", "get --start", "get --phase failed", "get lammps -o yaml"});
  app.add_option("NAME", options->name, "Only this MiniCluster")->type_name("");
  app.add_flag("-A,--all-namespaces", options->all, "MiniClusters of all namespaces");
  app.add_option("-l,--selector", options->selector, "Only those with these labels, as in kubectl")
      ->type_name("SELECTOR");
  app.add_option("--phase", options->phase, "Only those in this phase; not with --watch")
      ->transform(CLI::IsMember(std::vector<std::string>(api::kPhases.begin(), api::kPhases.end()),
                                CLI::ignore_case))
      ->type_name("PHASE");
  app.add_flag("--start", options->starts,
               "Also when each starts that waits in a FluxSetup's queue: STARTS is expected, and\n"
               "known for the first 100; LATEST is promised to the first that does not fit");
  app.add_flag("-w,--watch", options->watch,
               "Watch: redraw on a terminal, or print a line for each change");
  app.add_option("-o,--output", options->output,
                 "One of kubectl's formats, for example json, yaml or name")
      ->type_name("FORMAT");
  app.callback([options, &chosen = line.chosen] {
    if (options->all && !options->name.empty()) {
      throw CLI::ValidationError("NAME: cannot be used with --all-namespaces");
    }
    if (!options->name.empty() && !(options->phase + options->selector).empty()) {
      throw CLI::ValidationError("NAME: cannot be used with --phase or --selector");
    }
    if (options->watch && !options->phase.empty()) {
      throw CLI::ValidationError("--phase: cannot be used with --watch");
    }
    if (options->starts && !options->output.empty()) {
      throw CLI::ValidationError("--start: cannot be used with --output");
    }
    chosen = [options](const Context& context) { return get(*options, context); };
  });
}

}  // namespace mc::kubectl
