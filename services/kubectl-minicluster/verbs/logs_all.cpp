#include "services/kubectl-minicluster/verbs/logs_all.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <utility>

#include "common/base/text.h"
#include "services/kubectl-minicluster/cluster/mailbox.h"
#include "services/kubectl-minicluster/cluster/stop_requests.h"
#include "services/kubectl-minicluster/cluster/watch.h"
#include "services/kubectl-minicluster/verbs/logs_reader.h"
#include "services/kubectl-minicluster/view/pods.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {
namespace {

// Logs that are read at the same time. Each needs a connection here and two in the proxy.
constexpr std::size_t kMostAtOnce = 64, kMostFollowed = 500;
constexpr rlim_t kFilesNeeded = 2048;

// As many open files as we may need; some systems allow a process 256 unless it asks.
void allow_more_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kFilesNeeded) return;
  limit.rlim_cur = std::min(kFilesNeeded, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Also of those that it may get while its logs are followed.
std::int64_t most_ranks_of(const json& minicluster) {
  return std::max(ranks_of(minicluster), integer_at(minicluster, {"spec", "maxSize"}, 1));
}

// What is printed, and the end of it.
class Printed {
 public:
  Printed(const Session& session, const json& minicluster, const LogOptions& options,
          const Terminal& terminal, Mailbox& mailbox)
      : session_(session),
        terminal_(terminal),
        out_(STDOUT_FILENO),
        err_(STDERR_FILENO),
        readers_({.session = session,
                  .out = out_,
                  .err = err_,
                  .options = options,
                  .ranks = most_ranks_of(minicluster),
                  .terminal = terminal.out_is_terminal,
                  .colours = terminal.out_is_terminal && terminal.colours},
                 [&mailbox] { mailbox.wake(); }) {}

  LogReaders& readers() { return readers_; }

  void report_errors() {
    for (const Error& error : readers_.take_errors()) code_ = report(terminal_, error);
  }
  // All logs that were begun have ended. Returns the exit code.
  int end() const {
    const auto lost = session_.lost(std::chrono::milliseconds(0));
    return lost ? report(terminal_, *lost) : code_;
  }

 private:
  const Session& session_;
  const Terminal& terminal_;
  Output out_, err_;
  LogReaders readers_;
  int code_ = 0;
};

int print_once(const std::vector<RankLog>& logs, Printed& printed, Mailbox& mailbox) {
  for (std::size_t next = 0; true;) {
    while (next < logs.size() && printed.readers().active() < kMostAtOnce) {
      printed.readers().start(logs[next++]);
    }
    // The errors of a reader are there before it counts as ended.
    const bool all = next == logs.size() && printed.readers().active() == 0;
    printed.report_errors();
    if (all) return printed.end();
    (void)mailbox.take();
  }
}

int follow(const json& minicluster, const Session& session, Printed& printed, Mailbox& mailbox,
           const Terminal& terminal) {
  const Watch watch(session, minicluster, PodsToWatch{selector_of_pods(minicluster), reduced_pod},
                    mailbox);
  bool waits = false;
  while (true) {
    const Mail mail = mailbox.take();
    const Watch::State state = watch.look();
    for (const auto& end : {state.refused, state.pods_refused}) {
      if (end) return report(terminal, *end);
    }
    for (const std::string& note : mail.notes) terminal.err << one_line(note) << "\n";
    if (!state.pods_known) continue;
    const bool over = state.deleted || end_of(*state.minicluster);
    const std::vector<RankLog> logs = logs_to_read(minicluster, state.pods);
    for (const RankLog& log : logs) {
      if (printed.readers().active() < kMostFollowed) printed.readers().start(log);
    }
    const bool all = printed.readers().active() == 0;
    printed.report_errors();
    if (over && all) return printed.end();
    if (logs.empty() && !over && !std::exchange(waits, true)) {
      terminal.err << one_line("Waits for pods: it is " + phase_and_why(*state.minicluster))
                   << "\n";
    }
  }
}

}  // namespace

int print_all_logs(const std::string& name, const LogOptions& options, const Context& context) {
  const StopRequests requests(end_at_once);
  Mailbox mailbox;
  const Terminal& terminal = context.terminal;
  const auto session = Session::open(context.cluster);
  if (!session) return report(terminal, session.error());
  const auto minicluster = session->minicluster(name);
  if (!minicluster) return report(terminal, minicluster.error());
  allow_more_files();
  Printed printed(*session, *minicluster, options, terminal, mailbox);
  if (options.follow && !options.previous) {
    if (most_ranks_of(*minicluster) > static_cast<std::int64_t>(kMostFollowed)) {
      terminal.err << "Follows the first " << kMostFollowed << " ranks that start" << "\n";
    }
    return follow(*minicluster, *session, printed, mailbox, terminal);
  }
  const auto pods = session->client().list(kube::kPods, session->namespace_name(),
                                           {.label_selector = selector_of_pods(*minicluster)});
  if (!pods) return report(terminal, pods.error());
  const auto& items = items_at(*pods, {"items"});
  const Runs runs = options.previous ? Runs::Previous : Runs::Latest;
  const std::vector<RankLog> logs = logs_to_read(*minicluster, items, runs);
  if (!logs.empty()) return print_once(logs, printed, mailbox);
  if (const auto lead = started_target(*minicluster, items, 0); !lead) {
    return report(terminal, lead.error());
  }
  return report(terminal, {ErrorKind::NotFound, "minicluster/" + name + " has no such log"});
}

}  // namespace mc::kubectl
