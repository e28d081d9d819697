#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "services/kubectl-minicluster/verbs/lead_hooks.h"
#include "services/kubectl-minicluster/verbs/log_follower.h"
#include "services/kubectl-minicluster/verbs/run_output.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {

// The logs of all leads as one stream: a lead that is made anew follows the one before.
class LeadLog {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // `log`: its namespace and container. The references must outlive it.
  LeadLog(kube::Transport& transport, PodLog log, LogOutput& output, LeadHooks hooks);

  // Starts and ends requests. `lead`: as it is now. `is_over`: the MiniCluster has ended, and
  // `lead` stays. Never blocks.
  void look(const std::optional<Lead>& lead, bool is_over, Time now);

  // There is nothing more to come of this lead.
  bool is_complete() const { return !follower_ || follower_->is_complete(); }

  bool has_lead() const { return lead_.has_value(); }

  // When to look again without a change.
  Time next() const { return next_; }

  // As LogFollower::stop().
  bool stop(Time until, const std::function<void(Time)>& wait) {
    return !follower_ || follower_->stop(until, wait);
  }

 private:
  void change_to(const Lead& lead);
  void tell(const std::string& pod, const LogFollower::Problem& problem);

  kube::Transport& transport_;
  const PodLog log_;
  LogOutput& output_;
  const LeadHooks hooks_;

  std::optional<Lead> lead_;
  std::optional<Time> kill_at_ = {};  // because another lead was seen
  Time next_ = Time::max();
  std::unique_ptr<LogFollower> follower_;  // of this lead
};

}  // namespace mc::kubectl
