#include "services/kubectl-minicluster/verbs/logs_reader.h"

#include <chrono>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "services/kubectl-minicluster/cluster/log_request.h"

namespace mc::kubectl {
namespace {

constexpr BackoffPolicy kPolicy{std::chrono::milliseconds{500}, std::chrono::seconds{8}};
// Then the node counts as lost.
constexpr int kMostFailures = 6;
// A connection that was silent for longer has not failed: the transport gives it up.
constexpr std::chrono::seconds kLived{60};

// Counts the failures in a row to read a log.
class Failures {
 public:
  // True if it is worth trying again, after the delay.
  bool allow_another(std::chrono::steady_clock::time_point began, bool received) {
    const auto now = std::chrono::steady_clock::now();
    if (received || now - began > kLived) count_ = 0;
    return ++count_ < kMostFailures;
  }
  auto delay() const { return backoff_delay(kPolicy, count_); }

 private:
  int count_ = 0;
};

bool may_pass(const Error& error) {
  return error.kind == ErrorKind::Unavailable || error.kind == ErrorKind::Throttled;
}

}  // namespace

Result<void> print_log(const RankLog& log, const LogPrinting& printing,
                       const std::stop_token& stop) {
  const LogOptions& options = printing.options;
  LogLines lines(rank_prefix(log.rank, printing.ranks, printing.colours),
                 {.timestamps = options.timestamps, .terminal = printing.terminal});
  PodLog part{.ns = printing.session.namespace_name(),
              .pod = log.target.pod,
              .container = log.target.container,
              .follow = options.follow,
              .previous = options.previous,
              .tail = options.tail};
  Failures failures;
  std::string said;
  while (true) {
    const auto began = std::chrono::steady_clock::now();
    bool received = false, can_print = true;
    const auto end =
        printing.session.transport().read(pod_log_request(part), stop, [&](std::string_view bytes) {
          received = true;
          can_print = printing.out.write(lines.take(bytes), stop);
          return can_print;
        });
    if (stop.stop_requested()) return {};
    // A pod that is deleted takes its log with it.
    const bool is_gone = options.follow && !end && end.error().kind == ErrorKind::NotFound;
    if (end || is_gone) {
      can_print = can_print && printing.out.write(lines.end(), stop);
      const std::string words = lines.take_words();
      if (!words.empty() && std::exchange(said, words) != words)
        printing.err.write("rank " + std::to_string(log.rank) + ": " + words + "\n", stop);
      // Of a log that was rotated, the kubelet may have sent the older file alone.
      const bool may_go_on = options.follow && end && can_print && lines.has_new();
      if (!may_go_on) return {};
    } else {
      if (printing.session.lost()) return {};
      if (!may_pass(end.error()) || !failures.allow_another(began, received)) return end;
      wait(failures.delay(), stop);
    }
    lines.read_again();
    part.since = lines.since();
  }
}

// All at once: one may wait for another that prints.
LogReaders::~LogReaders() {
  for (auto& [run, thread] : threads_) thread.request_stop();
}

void LogReaders::start(const RankLog& log) {
  if (threads_.contains(log.run)) return;
  state_.with([](State& state) { ++state.active; });
  threads_.emplace(log.run, [this, log](const std::stop_token& stop) { run(log, stop); });
}

void LogReaders::run(const RankLog& log, const std::stop_token& stop) {
  const auto end = print_log(log, printing_, stop);
  state_.with([&](State& state) {
    --state.active;
    if (end) return;
    state.errors.push_back(
        {end.error().kind, "rank " + std::to_string(log.rank) + ": " + sentence_of(end.error())});
  });
  on_end_();
}

std::size_t LogReaders::active() const {
  return state_.with([](const State& state) { return state.active; });
}

std::vector<Error> LogReaders::take_errors() {
  return state_.with([](State& state) { return std::exchange(state.errors, {}); });
}

}  // namespace mc::kubectl
