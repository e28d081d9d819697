#include "services/kubectl-minicluster/view/logs.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "services/kubectl-minicluster/verbs/hand_over.h"
#include "services/kubectl-minicluster/verbs/logs_all.h"

// The log of one rank, by becoming `kubectl logs`; of all ranks, see logs_all.h.
namespace mc::kubectl {
namespace {

struct LogsOptions {
  Rank rank;
  bool all = false;
  LogOptions log;
};

int logs(const LogsOptions& options, const Context& context) {
  if (options.all) return print_all_logs(options.rank.name, options.log, context);
  return hand_over(options.rank,
                   {.target = started_target,
                    .arguments = [&](const Target& target,
                                     const json&) { return logs_arguments(target, options.log); }},
                   context);
}

}  // namespace

void add_logs(const CommandLine& line) {
  auto options = std::make_shared<LogsOptions>();
  CLI::App& app =
      add_verb(line, "logs",
               "Print the log of the lead, which has the command's output, or of other\n"
               "ranks.",
               {"logs lammps -f", "logs lammps --rank 3 --tail 20", "logs lammps --all -f"});
  add_name(app, options->rank.name);
  add_rank(app, options->rank.number);
  app.add_flag("--all", options->all, "All ranks at once; each line begins with its rank")
      ->excludes("--rank");
  app.add_flag("-f,--follow", options->log.follow, "Go on as the log grows, until its end");
  app.add_option("--tail", options->log.tail, "Print only this number of lines of the log's end")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  app.add_flag("-p,--previous", options->log.previous,
               "The log of the container's run before it was restarted in the pod");
  app.add_flag("--timestamps", options->log.timestamps, "Begin each line with its time");
  app.callback([options, &chosen = line.chosen] {
    chosen = [options](const Context& context) { return logs(*options, context); };
  });
}

}  // namespace mc::kubectl
