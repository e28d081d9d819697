#include "services/kubectl-minicluster/verbs/run_log.h"

#include <algorithm>
#include <utility>

namespace mc::kubectl {
namespace {

using std::chrono::seconds;

// After a stream that failed.
constexpr BackoffPolicy kRetry{seconds(1), seconds(10)};
constexpr seconds kResetAfter{60};
// After one that ended although its container runs, by what the API server says: usually the
// container has ended, and that is about to be seen.
constexpr seconds kUsualDelay{3};
// How long the stream of an earlier lead may go on.
constexpr seconds kGrace{2};
// After the end, a log that is silent for so long cannot be read.
constexpr seconds kLongestSilence{5};

}  // namespace

LeadLog::LeadLog(const Kubectl& kubectl, std::string container, LogOutput& output, LeadHooks hooks)
    : kubectl_(kubectl),
      container_(std::move(container)),
      output_(output),
      hooks_(std::move(hooks)),
      backoff_(kRetry, kResetAfter) {}

void LeadLog::look(const std::optional<Lead>& lead, bool is_over, Time now) {
  next_ = Time::max();
  if (stream_) {
    if (const auto end = stream_->ended()) {
      stream_.reset();
      take_end(*end, now);
    }
  }
  const bool is_another = lead && (!lead_ || !lead->is_same_run(*lead_));
  if (is_another && !stream_) change_to(*lead);
  if (!lead_ || output_.is_broken()) return;
  const bool had_ended =
      std::exchange(has_ended_, is_over || !lead || lead->ended || !lead->is_same_run(*lead_));
  if (has_ended_ && !had_ended) {
    not_before_ = now;
    began_ = now;
  }
  if (!stream_ && !is_complete()) {
    now >= not_before_ ? start(*lead_) : void(next_ = not_before_);
  }
  if (!stream_) return;
  if (is_another && !killed_at_) killed_at_ = now + kGrace;
  if (killed_at_) (void)kill_at(*killed_at_, now);
  if (is_over && !output_.is_writing() &&
      kill_at(std::max(began_, output_.last_write()) + kLongestSilence, now))
    is_too_silent_ = true;
}

void LeadLog::change_to(const Lead& lead) {
  if (lead_) {
    const bool is_restart = lead_->uid == lead.uid;
    hooks_.say("the lead was " +
               (is_restart ? "restarted in pod " + lead.pod : "made anew as pod " + lead.pod) +
               "; its output follows");
    output_.end_of_log();
  }
  lead_ = lead;
  has_ended_ = is_quiet_ = is_given_up_ = false;
  times_ = {};
  clean_ends_ = 0;
  killed_at_.reset();
  not_before_ = {};
  last_error_.clear();
  backoff_.reset();
}

void LeadLog::take_end(const LogStream::End& end, Time now) {
  const std::string words = times_.take_words();
  if (end.error.empty()) {
    if (!words.empty() && clean_ends_ == 0) tell_error(words);  // as below
    ++clean_ends_;
    is_quiet_ = began_at_end_ || (passed_on_ == 0 && clean_ends_ > 1);
    not_before_ = is_quiet_ ? now + kUsualDelay : now;
    return;
  }
  if (output_.is_broken() || killed_at_) return;
  is_given_up_ = began_at_end_;
  if (std::exchange(is_too_silent_, false)) {
    if (is_given_up_) tell("has not come to its end: it may be incomplete");
  } else if (!is_given_up_ || clean_ends_ == 0) {
    tell_error(end.error);  // a pod that is gone had its whole log read before
  }
  // After the end there is one more try, at once: `run` waits for it.
  not_before_ = has_ended_ ? now : now + backoff_.next(now, 0);
}

void LeadLog::tell_error(const std::string& error) {
  if (std::exchange(last_error_, error) != error) tell("cannot be read: " + error);
}

void LeadLog::tell(const std::string& what) {
  if (lead_) hooks_.say("the log of pod " + lead_->pod + " " + what);
}

void LeadLog::start(const Lead& lead) {
  began_at_end_ = has_ended_;
  times_.read_again();
  killed_at_.reset();
  is_too_silent_ = false;
  passed_on_ = 0;
  began_ = std::chrono::steady_clock::now();
  stream_ = std::make_unique<LogStream>(
      kubectl_, LogStream::Source{lead.pod, container_, times_.since()},
      LogStream::Hooks{[this](std::string_view bytes) { return pass_on(bytes); }, hooks_.wake});
}

bool LeadLog::pass_on(std::string_view bytes) {
  const std::string_view text = bytes.empty() ? times_.end() : times_.take(bytes);
  passed_on_ += text.size();
  return output_.write(text);
}

// Whether that time has come.
bool LeadLog::kill_at(Time when, Time now) {
  if (now < when) {
    next_ = std::min(next_, when);
    return false;
  }
  stream_->kill();
  return true;
}

bool LeadLog::stop(Time until, const std::function<void(Time)>& wait) {
  if (!stream_) return true;
  stream_->kill();
  while (!stream_->ended()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    wait(until);
  }
  stream_.reset();
  return true;
}

}  // namespace mc::kubectl
