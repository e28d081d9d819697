#include "services/kubectl-minicluster/verbs/logs_all.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <utility>

#include "common/base/text.h"
#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/output.h"
#include "services/kubectl-minicluster/client/watch.h"
#include "services/kubectl-minicluster/verbs/log_follower.h"
#include "services/kubectl-minicluster/view/exit_code.h"
#include "services/kubectl-minicluster/view/pods.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {
namespace {

using SteadyClock = std::chrono::steady_clock;

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

// Prints logs at the same time, each line with its rank; what the kubelet says instead goes to
// standard error. One process of `kubectl logs` for each would need 47 MB.
class RankLogs {
 public:
  RankLogs(const Session& session, const json& minicluster, const LogOptions& options,
           const Terminal& terminal, Mailbox& mailbox)
      : session_(session),
        options_(options),
        terminal_(terminal),
        mailbox_(mailbox),
        ranks_(most_ranks_of(minicluster)) {}
  // All at once: one may wait for another that prints.
  ~RankLogs() {
    for (const auto& [run, reader] : readers_) {
      if (reader) reader->follower.kill();
    }
  }
  RankLogs(const RankLogs&) = delete;
  RankLogs& operator=(const RankLogs&) = delete;

  // Prints this log, unless it is printed or has been.
  void start(const RankLog& log) {
    if (readers_.contains(log.run)) return;
    readers_.emplace(log.run, std::make_unique<Reader>(*this, log));
    ++active_;
  }

  // Reads on.
  void look();

  // The number of logs that have not come to their end.
  std::size_t active() const { return active_; }

  // What has come until look() is to be called again.
  Mail wait() { return mailbox_.take(std::min(next_, SteadyClock::now() + std::chrono::hours(1))); }

  // Standard output takes no more, so that every log has ended.
  bool is_broken() const { return out_.error() != 0; }

  // All logs that were begun have ended. Returns the exit code.
  int end() const {
    if (is_broken()) return report_broken_output(terminal_, out_.error());
    const auto lost = session_.lost(std::chrono::milliseconds(0));
    return lost ? report(terminal_, *lost) : code_;
  }

 private:
  struct Reader {
    Reader(RankLogs& all, const RankLog& log);

    LogLines lines;
    LogFollower follower;
  };
  void tell(std::int64_t rank, const LogFollower::Problem& problem);

  const Session& session_;
  const LogOptions options_;
  const Terminal& terminal_;
  Mailbox& mailbox_;
  const std::int64_t ranks_;  // for the width of the prefix
  Output out_{STDOUT_FILENO}, err_{STDERR_FILENO};
  int code_ = 0;
  std::size_t active_ = 0;
  SteadyClock::time_point next_ = SteadyClock::time_point::max();
  std::map<std::string, std::unique_ptr<Reader>> readers_;  // by RankLog::run; null: has ended
};

RankLogs::Reader::Reader(RankLogs& all, const RankLog& log)
    : lines(
          rank_prefix(log.rank, all.ranks_, all.terminal_.out_is_terminal && all.terminal_.colours),
          all.terminal_.out_is_terminal),
      follower(all.session_.transport(),
               pod_log(all.session_.namespace_name(), log.target, all.options_),
               {[this, &all](std::string_view text, const std::stop_token& stop) {
                  return all.out_.write(lines.take(text), stop);
                },
                [&all, rank = log.rank](const LogFollower::Problem& problem) {
                  all.tell(rank, problem);
                },
                [&all] { return all.session_.lost(std::chrono::milliseconds(0)); },
                [&all] { all.mailbox_.wake(); }},
               all.options_.timestamps) {}

void RankLogs::look() {
  next_ = SteadyClock::time_point::max();
  for (auto& [run, reader] : readers_) {
    if (!reader) continue;
    reader->follower.look(LogFollower::Container::Unknown, SteadyClock::now());
    if (!reader->follower.is_complete()) {
      next_ = std::min(next_, reader->follower.next());
      continue;
    }
    out_.write(reader->lines.end(), {});
    reader.reset();
    --active_;
  }
}

void RankLogs::tell(std::int64_t rank, const LogFollower::Problem& problem) {
  const std::string text = "rank " + std::to_string(rank) + ": " + problem.why;
  if (problem.kind == LogFollower::Problem::Kind::Sentence) {
    err_.write(text + "\n", {});
  } else if (!session_.lost(std::chrono::milliseconds(0))) {  // else end() says it, once
    code_ = report(terminal_, text);
  }
}

int print_once(const std::vector<RankLog>& logs, RankLogs& printed) {
  for (std::size_t next = 0; true; (void)printed.wait()) {
    do {
      while (next < logs.size() && printed.active() < kMostAtOnce) printed.start(logs[next++]);
      printed.look();
    } while (next < logs.size() && printed.active() < kMostAtOnce && !printed.is_broken());
    if (printed.active() == 0 || printed.is_broken()) return printed.end();
  }
}

int follow(const json& minicluster, const Session& session, RankLogs& printed, Mailbox& mailbox,
           const Terminal& terminal) {
  const Watch watch(session, minicluster, PodsToWatch{selector_of_pods(minicluster), reduced_pod},
                    mailbox);
  bool waits = false;
  while (true) {
    const Mail mail = printed.wait();
    const Watch::State state = watch.look();
    for (const auto& end : {state.refused, state.pods_refused}) {
      if (end) return report(terminal, *end);
    }
    for (const std::string& note : mail.notes) terminal.err << one_line(note) << "\n";
    if (!state.pods_known) continue;
    const bool over = state.deleted || end_of(*state.minicluster);
    const std::vector<RankLog> logs = logs_to_read(minicluster, state.pods);
    for (const RankLog& log : logs) {
      if (printed.active() < kMostFollowed) printed.start(log);
    }
    printed.look();
    if ((over && printed.active() == 0) || printed.is_broken()) return printed.end();
    if (logs.empty() && !over && !std::exchange(waits, true)) {
      terminal.err << one_line("Waiting for pods: the MiniCluster is " +
                               phase_and_why(*state.minicluster))
                   << "\n";
    }
  }
}

}  // namespace

PodLog pod_log(const std::string& ns, const Target& target, const LogOptions& options) {
  return {.ns = ns,
          .pod = target.pod,
          .container = target.container,
          .follow = options.follow,
          .previous = options.previous,
          .tail = options.tail};
}

int print_all_logs(const Session& session, const std::string& name, const LogOptions& options,
                   const Terminal& terminal) {
  Mailbox mailbox;
  const auto minicluster = session.minicluster(name);
  if (!minicluster) return report(terminal, minicluster.error());
  allow_more_files();
  RankLogs printed(session, *minicluster, options, terminal, mailbox);
  if (options.follow && !options.previous) {
    if (most_ranks_of(*minicluster) > static_cast<std::int64_t>(kMostFollowed)) {
      terminal.err << "Following the first " << kMostFollowed << " ranks that start\n";
    }
    return follow(*minicluster, session, printed, mailbox, terminal);
  }
  const auto pods = session.client().list(kube::kPods, session.namespace_name(),
                                          {.label_selector = selector_of_pods(*minicluster)});
  if (!pods) return report(terminal, pods.error());
  const auto& items = items_at(*pods, {"items"});
  const Runs runs = options.previous ? Runs::Previous : Runs::Latest;
  const std::vector<RankLog> logs = logs_to_read(*minicluster, items, runs);
  if (!logs.empty()) return print_once(logs, printed);
  if (const auto lead = started_target(*minicluster, items, 0); !lead) {
    return report(terminal, lead.error());
  }
  return report(
      terminal,
      options.previous
          ? "minicluster/" + name + " has no previous log: none of its containers was restarted"
          : "no container of minicluster/" + name + " is running or has ended in its newest pod");
}

}  // namespace mc::kubectl
