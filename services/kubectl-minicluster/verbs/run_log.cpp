#include "services/kubectl-minicluster/verbs/run_log.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mc::kubectl {
namespace {

// How long the stream of an earlier lead may go on.
constexpr std::chrono::seconds kGrace{2};

}  // namespace

LeadLog::LeadLog(kube::Transport& transport, PodLog log, LogOutput& output, LeadHooks hooks)
    : transport_(transport), log_(std::move(log)), output_(output), hooks_(std::move(hooks)) {}

void LeadLog::look(const std::optional<Lead>& lead, bool is_over, Time now) {
  using Container = LogFollower::Container;
  next_ = Time::max();
  bool is_another = lead && (!lead_ || !lead->is_same_run(*lead_));
  if (is_another && (!follower_ || !follower_->settle(now))) {
    change_to(*lead);
    is_another = false;
  }
  if (!follower_ || output_.is_broken()) return;
  if (is_another) {
    if (!kill_at_) kill_at_ = now + kGrace;
  } else {
    const bool has_ended = is_over || !lead || lead->ended;
    follower_->look(has_ended ? Container::Ended : Container::Runs, now);
    next_ = follower_->next();
  }
  if (!kill_at_) return;
  if (now < *kill_at_) {
    next_ = std::min(next_, *kill_at_);
  } else {
    kill_at_.reset();
    follower_->kill();
  }
}

void LeadLog::change_to(const Lead& lead) {
  if (lead_) {
    const bool is_restart = lead_->uid == lead.uid;
    hooks_.say("the lead was " +
               (is_restart ? "restarted in pod " + lead.pod : "recreated as pod " + lead.pod) +
               "; its output follows");
    output_.end_of_log();
  }
  lead_ = lead;
  kill_at_.reset();
  PodLog log = log_;
  log.pod = lead.pod;
  log.follow = true;
  follower_ = std::make_unique<LogFollower>(
      transport_, std::move(log),
      LogFollower::Hooks{
          [this](std::string_view text, const std::stop_token&) { return output_.write(text); },
          [this, pod = lead.pod](const LogFollower::Problem& problem) { tell(pod, problem); },
          [] { return std::optional<Error>(); }, hooks_.wake});
}

void LeadLog::tell(const std::string& pod, const LogFollower::Problem& problem) {
  const bool is_incomplete = problem.kind == LogFollower::Problem::Kind::Incomplete;
  hooks_.say("the log of pod " + pod + " " +
             (is_incomplete ? "may be incomplete: its end was not received"
                            : "cannot be read: " + problem.why));
}

}  // namespace mc::kubectl
