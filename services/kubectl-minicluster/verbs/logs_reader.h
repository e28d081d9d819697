#pragma once
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <thread>

#include "common/base/guarded.h"
#include "services/kubectl-minicluster/cluster/output.h"
#include "services/kubectl-minicluster/cluster/session.h"
#include "services/kubectl-minicluster/view/logs.h"

namespace mc::kubectl {

// What all readers share.
struct LogPrinting {
  const Session& session;
  Output &out, &err;
  LogOptions options;
  std::int64_t ranks = 1;  // for the width of the prefix
  bool terminal = false, colours = false;
};

// Reads one log to its end and prints it; what the kubelet says instead goes to `err`, once. A
// connection that is lost is made again, and the log goes on where it was. Ends early if stop is
// requested, nothing can be printed any more, or the session is lost.
[[nodiscard]] Result<void> print_log(const RankLog& log, const LogPrinting& printing,
                                     const std::stop_token& stop);

// Prints logs at the same time, each in a thread of its own, until it is destroyed. One process of
// `kubectl logs` for each would need 47 MB and could not go on after a lost connection.
class LogReaders {
 public:
  // `on_end` is called when a log has ended, from any thread.
  LogReaders(LogPrinting printing, std::function<void()> on_end)
      : printing_(printing), on_end_(std::move(on_end)) {}
  ~LogReaders();
  LogReaders(const LogReaders&) = delete;
  LogReaders& operator=(const LogReaders&) = delete;

  // Prints this log, unless it is printed or has been.
  void start(const RankLog& log);

  // The number of logs that have not ended.
  std::size_t active() const;

  // The errors since the last call, each as `rank 3: ...`.
  std::vector<Error> take_errors();

 private:
  struct State {
    std::size_t active = 0;
    std::vector<Error> errors;
  };
  void run(const RankLog& log, const std::stop_token& stop);

  const LogPrinting printing_;
  const std::function<void()> on_end_;
  Guarded<State> state_;
  std::map<std::string, std::jthread> threads_;  // by RankLog::run
};

}  // namespace mc::kubectl
