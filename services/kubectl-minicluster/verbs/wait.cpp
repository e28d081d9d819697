#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>

#include "common/api/model/conditions.h"
#include "common/base/arguments.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/client/stop_requests.h"
#include "services/kubectl-minicluster/client/watch.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/exit_code.h"
#include "services/kubectl-minicluster/view/progress.h"

// `wait`: until a MiniCluster has ended, or a condition holds.
namespace mc::kubectl {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct WaitOptions {
  std::string name;
  std::string condition;                 // "": its end
  std::chrono::milliseconds timeout{0};  // 0: none
};

// The exit code, if the state decides it.
std::optional<int> decided(const WaitOptions& options, const Watch::State& state,
                           const Terminal& terminal) {
  const std::string who = "minicluster/" + options.name;
  if (state.refused) return report(terminal, *state.refused);
  const bool holds = !options.condition.empty() &&
                     api::true_condition_of(*state.minicluster, options.condition) != nullptr;
  if (holds) return 0;
  if (const auto end = end_of(*state.minicluster)) {
    if (end->code == 0 && end->why.empty()) return 0;
    return report(terminal, who + " has failed: " + end->why, end->code);
  }
  if (state.deleted) return report(terminal, who + " was deleted before it ended");
  return std::nullopt;
}

int timed_out(const WaitOptions& options, const Watch::State& state, const Terminal& terminal) {
  const Progress progress = progress_of(*state.minicluster, {});
  const std::string phase = text_at(*state.minicluster, {"status", "phase"});
  return report(terminal,
                "timed out waiting for minicluster/" + options.name + ": " +
                    (!progress.blocked.empty() ? progress.blocked
                     : phase.empty()           ? "no controller has acted on the MiniCluster"
                                               : "its phase is " + phase),
                kTimedOut);
}

int wait_verb(const WaitOptions& options, const Context& context) {
  Mailbox mailbox;
  const StopRequests requests([](int signal) {
    if (signal != SIGPIPE) end_at_once(signal);  // it prints nothing
  });
  auto session = Session::open(context.cluster);
  if (!session) return report(context.terminal, session.error());
  const auto found = session->minicluster(options.name);
  if (!found) return report(context.terminal, found.error());
  const SteadyClock::time_point until =
      SteadyClock::now() +
      (options.timeout.count() > 0 ? options.timeout : std::chrono::hours(24 * 365));
  const Watch watch(*session, *found, std::nullopt, mailbox);
  std::optional<int> code;
  while (!(code = decided(options, watch.look(), context.terminal))) {
    if (SteadyClock::now() >= until) code = timed_out(options, watch.look(), context.terminal);
    if (code) break;
    for (const std::string& note : mailbox.take(until).notes)
      context.terminal.err << one_line(note) << "\n";
  }
  session->hang_up();  // ends requests that the watch waits for
  return *code;
}

}  // namespace

void add_wait(const CommandLine& line) {
  auto options = std::make_shared<WaitOptions>();
  CLI::App& app =
      add_verb(line, "wait",
               "Wait until a MiniCluster has ended, with the exit codes of `run`; or until a\n"
               "condition holds, or it fails. Exit code 124: --timeout has passed.",
               {"wait lammps", "wait lammps --for=ready --timeout=5m"});
  add_name(app, options->name);
  app.add_option_function<std::string>(
         "--for",
         [options](const std::string& what) {
           options->condition = what == "complete" ? "" : what;
         },
         "What to wait for: complete (its end), ready, accepted, objectsready, suspended.\n"
         "Default: complete")
      ->transform(CLI::IsMember(std::vector<std::string>{"complete", std::string(api::kReady),
                                                         std::string(api::kAccepted),
                                                         std::string(api::kObjectsReady),
                                                         std::string(api::kSuspended)},
                                CLI::ignore_case)
                      .description(""))
      ->type_name("WHAT");
  add_duration(app, "--timeout", options->timeout, "Longest time to wait. Default: no limit",
               {std::chrono::milliseconds(0), std::chrono::hours(24 * 365)});
  on_choice(line, app, [options](const Context& context) { return wait_verb(*options, context); });
}

}  // namespace mc::kubectl
