#include "services/kubectl-minicluster/verbs/run_files.h"

#include <algorithm>
#include <utility>

namespace mc::kubectl {
namespace {

using std::chrono::seconds;

constexpr BackoffPolicy kCopyAgain{seconds(1), seconds(10)};
constexpr seconds kForgetLossesAfter{60};
// A lead that has ended sends no more; what it has sent may still be on its way.
constexpr seconds kOnItsWay{10};

}  // namespace

LeadFiles::LeadFiles(const Kubectl& kubectl, std::string container, Wanted wanted, LeadHooks hooks)
    : kubectl_(kubectl),
      container_(std::move(container)),
      wanted_(std::move(wanted)),
      hooks_(std::move(hooks)),
      backoff_(kCopyAgain, kForgetLossesAfter) {}

void LeadFiles::look(const std::optional<Lead>& lead, bool is_over, Time now) {
  next_ = Time::max();
  if (copy_) {
    if (const auto end = copy_->ended()) {
      copy_.reset();
      take_end(*end, now);
    }
  }
  if (lead && (!lead_ || !lead->is_same_run(*lead_))) {
    if (lead_) may_begin_ = false;  // that was of another run
    lead_ = lead;
  }
  const bool runs = lead && !lead->ended && !is_over;
  if (runs) kill_at_.reset();
  if (copy_ && !runs) {
    if (!kill_at_) kill_at_ = now + kOnItsWay;
    now >= *kill_at_ ? copy_->kill() : void(next_ = *kill_at_);
  }
  if (copy_ || !runs || is_done_ || !may_begin_ || wanted_.paths.empty()) return;
  if (now < not_before_) {
    next_ = not_before_;
    return;
  }
  copy_ = std::make_unique<CopyOut>(
      kubectl_, CopyOut::Source{lead->pod, container_, wanted_.paths, wanted_.folder}, hooks_.wake);
}

void LeadFiles::take_end(const CopyOut::End& end, Time now) {
  if (!end.lost.empty()) {
    hooks_.say("cannot copy files from the lead: " + end.lost);
    not_before_ = now + backoff_.next(now, 0);
    return;
  }
  is_done_ = true;
  has_all_ = end.failed.empty();
  for (const std::string& path : end.copied) hooks_.say("copied " + path + " to " + wanted_.folder);
  for (const std::string& failure : end.failed) hooks_.say("error: cannot copy " + failure);
}

}  // namespace mc::kubectl
