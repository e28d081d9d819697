#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/backoff.h"
#include "services/kubectl-minicluster/cluster/log_stream.h"
#include "services/kubectl-minicluster/verbs/lead_hooks.h"
#include "services/kubectl-minicluster/verbs/run_output.h"
#include "services/kubectl-minicluster/view/log_position.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {

// The log of the lead, as one stream over all that `kubectl logs` and leads do: a stream that ends
// early is continued where it was, and a lead that is made anew follows the one before.
//
// `kubectl logs -f` also ends without an error if the connection to the kubelet is lost, or if the
// container has ended before the stream came to the file that follows a rotated one. So a log is
// complete only once a stream that began after the end of the container has ended, or a second
// stream has brought nothing more.
class LeadLog {
 public:
  using Time = std::chrono::steady_clock::time_point;
  LeadLog(const Kubectl& kubectl, std::string container, LogOutput& output, LeadHooks hooks);

  // Starts and ends streams. `lead`: as it is now. `is_over`: the MiniCluster has ended, and `lead`
  // stays. Never blocks.
  void look(const std::optional<Lead>& lead, bool is_over, Time now);

  // There is nothing more to come of this lead.
  bool is_complete() const {
    return !stream_ && (!lead_ || is_given_up_ || (is_quiet_ && has_ended_));
  }

  bool has_lead() const { return lead_.has_value(); }

  // When to look again without a change.
  Time next() const { return next_; }

  // Ends the stream. False if its thread still waits, at `until`, for whoever reads the output:
  // then nothing but the end of the process ends it. `wait` returns after wake(), or at that time.
  bool stop(Time until, const std::function<void(Time)>& wait);

 private:
  void change_to(const Lead& lead);
  void take_end(const LogStream::End& end, Time now);
  void tell_error(const std::string& error);
  void tell(const std::string& what);
  void start(const Lead& lead);
  bool pass_on(std::string_view bytes);
  bool kill_at(Time when, Time now);

  const Kubectl& kubectl_;
  const std::string container_;
  LogOutput& output_;
  const LeadHooks hooks_;

  std::optional<Lead> lead_;
  // The stream's, while there is one.
  LogTimes times_;
  std::uint64_t passed_on_ = 0;  // bytes

  std::unique_ptr<LogStream> stream_;
  // Of this lead.
  bool has_ended_ = false;     // its container
  bool began_at_end_ = false;  // has_ended_ when the stream began
  bool is_quiet_ = false;      // the last stream has brought nothing more
  bool is_given_up_ = false;
  bool is_too_silent_ = false;  // the stream was ended, because it brought nothing
  int clean_ends_ = 0;          // streams that ended without an error

  Time began_{};                        // the stream, or the end that it is behind
  std::optional<Time> killed_at_ = {};  // when another lead was seen
  Time not_before_{}, next_ = Time::max();
  Backoff backoff_;
  std::string last_error_;
};

}  // namespace mc::kubectl
