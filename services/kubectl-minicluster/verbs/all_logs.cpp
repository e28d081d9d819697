#include "services/kubectl-minicluster/verbs/all_logs.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <utility>

#include "common/base/clock.h"
#include "common/base/text.h"
#include "common/kube/informer.h"
#include "common/kube/store.h"
#include "services/kubectl-minicluster/cluster/wakeups.h"
#include "services/kubectl-minicluster/verbs/log_reader.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

// Logs that are read at the same time. Each needs a connection here and two in the proxy.
constexpr std::size_t kMostAtOnce = 64, kMostFollowed = 500;
constexpr rlim_t kFilesNeeded = 2048;

constexpr std::chrono::milliseconds kTick{1000};

// As many open files as we may need; some systems allow a process 256 unless it asks.
void allow_more_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kFilesNeeded) return;
  limit.rlim_cur = std::min(kFilesNeeded, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::int64_t ranks_of(const json& minicluster) {
  return std::max<std::int64_t>({integer_at(minicluster, {"spec", "size"}, 1),
                                 integer_at(minicluster, {"spec", "maxSize"}, 1),
                                 integer_at(minicluster, {"status", "size"})});
}

// What is printed, and the end of it.
class Printed {
 public:
  Printed(const Session& session, const json& minicluster, const LogOptions& options,
          const Terminal& terminal, Wakeups& wakeups)
      : terminal_(terminal),
        out_(STDOUT_FILENO),
        readers_({.session = session,
                  .out = out_,
                  .options = options,
                  .ranks = ranks_of(minicluster),
                  .terminal = terminal.out_is_terminal,
                  .colours = terminal.out_is_terminal && terminal.colours},
                 [&wakeups] { wakeups.wake(); }) {}

  LogReaders& readers() { return readers_; }

  void report_errors() {
    for (const Error& error : readers_.take_errors()) code_ = report(terminal_, error);
  }
  int code() const { return code_; }

 private:
  const Terminal& terminal_;
  Output out_;
  LogReaders readers_;
  int code_ = 0;
};

int print_once(const std::vector<RankLog>& logs, Printed& printed, Wakeups& wakeups) {
  for (std::size_t next = 0; true;) {
    while (next < logs.size() && printed.readers().active() < kMostAtOnce) {
      printed.readers().start(logs[next++]);
    }
    // The errors of a reader are there before it counts as ended.
    const bool all = next == logs.size() && printed.readers().active() == 0;
    printed.report_errors();
    if (all) return printed.code();
    if (const auto code = wakeups.wait(kTick)) return *code;
  }
}

// Follows some objects in a thread of its own, until it is destroyed.
class Followed {
 public:
  Followed(kube::Scope scope, const Session& session, Wakeups& wakeups)
      : wakeups_(wakeups),
        informer_(session.transport(), store_, clock_, std::move(scope), hooks()),
        thread_([this](const std::stop_token& stop) { informer_.run(stop); }) {}

  bool synced() const { return store_.synced(); }
  std::vector<json> objects() const {
    std::vector<json> out;
    for (const kube::Object& object : store_.all()) out.push_back(*object);
    return out;
  }
  // Why nothing is followed any more.
  std::optional<Error> end() const {
    return end_.with([](const std::optional<Error>& end) { return end; });
  }

 private:
  kube::InformerHooks hooks() {
    kube::InformerHooks hooks;
    hooks.on_change = [this](const std::string&, const kube::Change&) { wakeups_.wake(); };
    hooks.on_synced = [this] { wakeups_.wake(); };
    hooks.is_permanent = [this](const Error& error) {
      if (error.kind != ErrorKind::Forbidden && error.kind != ErrorKind::Invalid) return false;
      end_.with([&](std::optional<Error>& end) { end = error; });
      wakeups_.wake();
      return true;
    };
    return hooks;
  }

  Wakeups& wakeups_;
  const SystemClock clock_;
  kube::Store store_;
  Guarded<std::optional<Error>> end_;
  kube::Informer informer_;
  std::jthread thread_;
};

kube::Scope pods_of(const json& minicluster, const Session& session) {
  kube::Scope scope{.resource = kube::kPods, .ns = session.namespace_name()};
  scope.label_selector = selector_of_pods(minicluster);
  return scope;
}

kube::Scope one(const json& minicluster, const Session& session) {
  kube::Scope scope{.resource = kube::kMiniClusters, .ns = session.namespace_name()};
  scope.field_selector = "metadata.name=" + text_at(minicluster, {"metadata", "name"});
  return scope;
}

bool is_over(const json& minicluster, const std::vector<json>& now) {
  if (now.empty()) return true;
  const std::string phase = text_at(now[0], {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed" ||
         text_at(now[0], {"metadata", "uid"}) != text_at(minicluster, {"metadata", "uid"});
}

int follow(const json& minicluster, const Session& session, Printed& printed, Wakeups& wakeups,
           const Terminal& terminal) {
  const Followed pods(pods_of(minicluster, session), session, wakeups);
  const Followed itself(one(minicluster, session), session, wakeups);
  bool waits = false;
  while (true) {
    for (const auto& end : {pods.end(), itself.end()}) {
      if (end) return report(terminal, *end);
    }
    if (pods.synced() && itself.synced()) {
      const auto now = itself.objects();
      const bool over = is_over(minicluster, now);
      const std::vector<RankLog> logs = logs_to_read(minicluster, pods.objects());
      for (const RankLog& log : logs) {
        if (printed.readers().active() < kMostFollowed) printed.readers().start(log);
      }
      const bool all = printed.readers().active() == 0;
      printed.report_errors();
      if (over && all) return printed.code();
      if (logs.empty() && !over && !std::exchange(waits, true)) {
        terminal.err << one_line("Waits for pods: it is " + phase_and_why(now[0])) << "\n";
      }
    }
    if (const auto code = wakeups.wait(kTick)) return *code;
  }
}

}  // namespace

int print_all_logs(const std::string& name, const LogOptions& options, const Context& context) {
  Wakeups wakeups;
  const Terminal& terminal = context.terminal;
  const auto session = Session::open(context.cluster);
  if (!session) return report(terminal, session.error());
  const auto minicluster = session->minicluster(name);
  if (!minicluster) return report(terminal, minicluster.error());
  allow_more_files();
  Printed printed(*session, *minicluster, options, terminal, wakeups);
  if (options.follow && !options.previous) {
    if (ranks_of(*minicluster) > static_cast<std::int64_t>(kMostFollowed)) {
      terminal.err << "Follows the first " << kMostFollowed << " ranks that start" << "\n";
    }
    return follow(*minicluster, *session, printed, wakeups, terminal);
  }
  const auto pods = session->client().list(kube::kPods, session->namespace_name(),
                                           {.label_selector = selector_of_pods(*minicluster)});
  if (!pods) return report(terminal, pods.error());
  const auto& items = items_at(*pods, {"items"});
  const Runs runs = options.previous ? Runs::Previous : Runs::Latest;
  const std::vector<RankLog> logs = logs_to_read(*minicluster, items, runs);
  if (!logs.empty()) return print_once(logs, printed, wakeups);
  if (const auto lead = started_target(*minicluster, items, 0); !lead) {
    return report(terminal, lead.error());
  }
  return report(terminal, {ErrorKind::NotFound, "minicluster/" + name + " has no such log"});
}

}  // namespace mc::kubectl
