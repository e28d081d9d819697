#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/backoff.h"
#include "services/kubectl-minicluster/client/copy_out.h"
#include "services/kubectl-minicluster/verbs/lead_hooks.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {

// Copies what is wanted out of the lead at the command's end.
class LeadFiles {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Wanted {
    std::vector<std::string> paths;
    std::string folder;
  };
  LeadFiles(const Kubectl& kubectl, std::string container, Wanted wanted, LeadHooks hooks);

  // The lead stays for this. Any thread may say so.
  void begin() {
    may_begin_ = true;
    hooks_.wake();
  }

  // Starts and ends the copying, and says what has come of it. `lead`: as it is now. Never blocks.
  void look(const std::optional<Lead>& lead, bool is_over, Time now);

  bool is_copying() const { return copy_ != nullptr; }
  // Whether something that is wanted is not there yet.
  bool lacks() const { return !wanted_.paths.empty() && !has_all_; }
  // Whether look() has said what of it failed.
  bool has_said() const { return is_done_; }

  // When to look again without a change.
  Time next() const { return next_; }

 private:
  void take_end(const CopyOut::End& end, Time now);

  const Kubectl& kubectl_;
  const std::string container_;
  const Wanted wanted_;
  const LeadHooks hooks_;

  std::optional<Lead> lead_;
  std::unique_ptr<CopyOut> copy_;
  std::atomic<bool> may_begin_ = false;
  bool is_done_ = false, has_all_ = false;
  std::optional<Time> kill_at_;
  Time not_before_{}, next_ = Time::max();
  Backoff backoff_;
};

}  // namespace mc::kubectl
