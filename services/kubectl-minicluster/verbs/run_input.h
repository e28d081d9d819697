#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/backoff.h"
#include "services/kubectl-minicluster/client/input_stream.h"
#include "services/kubectl-minicluster/client/standard_input.h"
#include "services/kubectl-minicluster/verbs/lead_hooks.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {

// Gives the standard input of `run` to the lead. What an earlier lead has got is given again if it
// is a file; a terminal goes on with what is typed next; a pipe's bytes are gone, which the new
// lead is told.
class LeadInput {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // `ranks`: the tasks that get it, as Flux's --stdin-ranks.
  LeadInput(const Kubectl& kubectl, std::string container, std::string ranks, Input kind,
            LeadHooks hooks);

  // Starts and ends streams. `lead`: as it is now. Never blocks.
  void look(const std::optional<Lead>& lead, bool is_over, Time now);

  // When to look again without a change.
  Time next() const { return next_; }

 private:
  void start(const Lead& lead);
  void end_stream();
  void take_end(const std::string& error, Time now);
  InputStream::Recipient recipient_at(const Lead& lead);

  const Kubectl& kubectl_;
  const std::string container_, ranks_;
  const Input kind_;
  const LeadHooks hooks_;
  const long long began_at_;  // where in the file

  std::optional<Lead> lead_;
  std::unique_ptr<InputStream> stream_;
  bool is_done_ = false;    // for this lead
  bool has_given_ = false;  // bytes of the standard input, to any lead
  std::string error_;
  std::optional<Time> tell_at_;  // the error, if the lead has not ended by then
  Time not_before_{}, next_ = Time::max();
  Backoff backoff_;
};

}  // namespace mc::kubectl
