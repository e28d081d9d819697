#include "services/kubectl-minicluster/view/logs.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "services/kubectl-minicluster/cluster/stop_requests.h"
#include "services/kubectl-minicluster/verbs/hand_over.h"
#include "services/kubectl-minicluster/verbs/logs_all.h"
#include "services/kubectl-minicluster/verbs/run_output.h"

// The log of one rank, by `kubectl logs`; of all ranks, see logs_all.h.
namespace mc::kubectl {
namespace {

struct LogsOptions {
  Rank rank;
  bool all = false;
  LogOptions log;
};

// Prints what the container has printed; errors of the operator and what the kubelet says instead
// of a log go to standard error. Returns the exit code.
int print_log_of(Child& kubectl, const Terminal& terminal) {
  LogOutput output(STDOUT_FILENO, STDERR_FILENO, {[] {}, [] {}}, LogFilter(LogFilter::Own::Keep));
  LogTimes times;
  bool wanted = true;
  for (std::string piece; wanted && read_some(kubectl.out(), piece); piece.clear()) {
    wanted = output.write(times.take(piece));
  }
  if (!wanted || !output.write(times.end()) || !output.end_of_log()) return kBrokenPipe;
  const std::string errors = read_all(kubectl.err()), words = times.take_words();
  if (const int code = kubectl.wait(); code != 0) return report(terminal, reason_in(errors), code);
  return words.empty() ? 0 : report(terminal, words);
}

int logs(const LogsOptions& options, const Context& context) {
  if (options.all) return print_all_logs(options.rank.name, options.log, context);
  LogOptions log = options.log;
  const HandOver to{.target = started_target, .arguments = [&](const Target& target, const json&) {
                      return logs_arguments(target, log);
                    }};
  // Only their times tell the lines of the log from the kubelet's.
  if (std::exchange(log.timestamps, true)) return hand_over(options.rank, to, context);
  const StopRequests requests(end_at_once);
  const auto command = prepare(options.rank, to, context.cluster);
  if (!command) return report(context.terminal, command.error());
  auto child = command->kubectl.start(command->arguments);
  if (!child) return report(context.terminal, child.error());
  return print_log_of(*child, context.terminal);
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
