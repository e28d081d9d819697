#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "services/kubectl-minicluster/client/log_stream.h"
#include "services/kubectl-minicluster/view/log_position.h"

namespace mc::kubectl {

// Reads the log of one run of a container to its end, however many requests that takes: a stream
// that ends early is continued where it was, by the time of its last line and within that line by
// its bytes (LogTimes).
//
// A stream also ends without an error if the connection to the kubelet is lost, or if the container
// has ended before the stream came to the file that follows a rotated one. So the log of a
// container that is known to run is complete only once a stream that began after the container's
// end has ended. If nothing is known of the container, a stream that has brought nothing more ends
// it.
class LogFollower {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class Container { Unknown, Runs, Ended };

  struct Problem {
    enum class Kind {
      Sentence,   // of the kubelet, in place of a log
      Failure,    // of a request
      Incomplete  // after the container's end the log has not come to its own
    };
    Kind kind;
    std::string why;
  };

  struct Hooks {
    // Takes the text of the log, in another thread. `stop`: it is to return soon, with what may be
    // lost. False: nobody wants any more.
    std::function<bool(std::string_view text, const std::stop_token& stop)> on_text;
    // Called by look() and settle(). If nothing is known of the container, failures that pass are
    // not told.
    std::function<void(const Problem& problem)> on_problem;
    // Why no request can succeed any more; nothing if one may.
    std::function<std::optional<Error>()> lost;
    std::function<void()> wake;  // look() is to be called again; from any thread
  };

  // `transport` must outlive it. `keeps_times`: the text has them.
  LogFollower(kube::Transport& transport, PodLog log, Hooks hooks, bool keeps_times = false);

  // Starts and ends requests. Never blocks.
  void look(Container container, Time now);

  // Takes note of a request that has ended. Whether one is still read.
  bool settle(Time now);

  // There is nothing more to come.
  bool is_complete() const {
    return !stream_ &&
           (is_unwanted_ || is_given_up_ || (is_quiet_ && container_ != Container::Runs));
  }

  // When to look again without a change.
  Time next() const { return next_; }

  // Ends the request, without waiting for that.
  void kill();

  // The same, and waits. False if its thread still waits, at `until`, for whoever takes the text:
  // then nothing but the end of the process ends it. `wait` returns after wake(), or at that time.
  bool stop(Time until, const std::function<void(Time)>& wait);

 private:
  void start();
  void take_end(const Result<void>& end, Time now);
  void take_clean_end(Time now);
  void take_failure(const Error& error, Time now);
  void end_if_silent(Time now);
  void tell(Problem::Kind kind, const std::string& why);
  bool pass_on(std::string_view bytes, const std::stop_token& stop);

  kube::Transport& transport_;
  PodLog log_;
  const Hooks hooks_;

  Container container_ = Container::Unknown;
  bool began_at_end_ = false;  // the container had ended when the stream began
  bool is_quiet_ = false;      // the last stream has brought nothing more
  bool is_given_up_ = false;
  bool is_killed_ = false;
  bool is_too_silent_ = false;  // the stream was ended, because it brought nothing
  int clean_ends_ = 0;          // streams that ended without an error
  int failures_ = 0;            // in a row
  std::string last_told_;
  Time began_{};  // the stream, or the end that it is behind
  Time not_before_{}, next_ = Time::max();

  // Used by the stream while there is one.
  LogTimes times_;
  std::uint64_t passed_on_ = 0;  // bytes
  std::atomic<bool> is_unwanted_ = false, is_passing_on_ = false;
  std::atomic<Time> last_text_{};
  std::unique_ptr<LogStream> stream_;  // last: it uses the others
};

}  // namespace mc::kubectl
