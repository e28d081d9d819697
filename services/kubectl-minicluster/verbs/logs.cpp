#include "services/kubectl-minicluster/view/logs.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>

#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/stop_requests.h"
#include "services/kubectl-minicluster/verbs/exec_kubectl.h"
#include "services/kubectl-minicluster/verbs/log_follower.h"
#include "services/kubectl-minicluster/verbs/logs_all.h"
#include "services/kubectl-minicluster/verbs/run_output.h"

// The log of one rank; of all ranks, see logs_all.h.
namespace mc::kubectl {
namespace {

struct LogsOptions {
  Rank rank;
  bool all = false;
  LogOptions log;
};

// Prints what the container has printed; errors of the operator and what the kubelet says instead
// of a log go to standard error. Returns the exit code.
int print_log(const Session& session, const Target& target, const LogOptions& options,
              const Terminal& terminal) {
  Mailbox mailbox;
  LogOutput output(STDOUT_FILENO, STDERR_FILENO, {[] {}, [] {}}, LogFilter(LogFilter::Own::Keep));
  std::string problem;
  LogFollower log(
      session.transport(), pod_log(session.namespace_name(), target, options),
      {[&](std::string_view text, const std::stop_token&) { return output.write(text); },
       [&](const LogFollower::Problem& told) { problem = told.why; },
       [&] { return session.lost(std::chrono::milliseconds(0)); }, [&] { mailbox.wake(); }},
      options.timestamps);
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    log.look(LogFollower::Container::Unknown, now);
    if (log.is_complete()) break;
    (void)mailbox.take(std::min(log.next(), now + std::chrono::hours(1)));
  }
  if (output.is_broken() || !output.end_of_log())
    return report_broken_output(terminal, output.error());
  return problem.empty() ? 0 : report(terminal, problem);
}

int logs(const LogsOptions& options, const Context& context) {
  const StopRequests requests(end_at_once);
  const auto session = Session::open(context.cluster);
  if (!session) return report(context.terminal, session.error());
  if (options.all)
    return print_all_logs(*session, options.rank.name, options.log, context.terminal);
  const auto found = target_of(*session, options.rank, started_target);
  if (!found) return report(context.terminal, found.error());
  return print_log(*session, found->target, options.log, context.terminal);
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
  app.add_flag("-f,--follow", options->log.follow,
               "Print new lines as the log grows, until its end");
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
