#include "services/kubectl-minicluster/verbs/log_follower.h"

#include <algorithm>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/client/session.h"

namespace mc::kubectl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr BackoffPolicy kRetry{milliseconds(500), seconds(8)};
// Then the node of a container of which nothing is known counts as lost.
constexpr int kMostFailures = 6;
// A connection that was silent for longer has not failed: the transport gives it up.
constexpr seconds kLived{60};
// After a stream that ended although its container runs, by what the API server says: usually the
// container has ended, and that is about to be seen.
constexpr seconds kUsualDelay{3};
// After the end, a log that is silent for so long cannot be read.
constexpr seconds kLongestSilence{5};

// A refusal passes as in Patience.
bool is_worth_a_retry(const Error& error, bool was_read) {
  if (error.kind == ErrorKind::Forbidden) return was_read || is_unauthorized(error);
  return may_pass(error);
}

}  // namespace

LogFollower::LogFollower(kube::Transport& transport, PodLog log, Hooks hooks, bool keeps_times)
    : transport_(transport), log_(std::move(log)), hooks_(std::move(hooks)), times_(keeps_times) {}

void LogFollower::look(Container container, Time now) {
  next_ = Time::max();
  (void)settle(now);
  if (std::exchange(container_, container) != container && container == Container::Ended) {
    not_before_ = now;
    began_ = now;
    is_quiet_ = false;  // it may have written since
  }
  if (!stream_ && !is_complete()) now >= not_before_ ? start() : void(next_ = not_before_);
  if (stream_ && container_ == Container::Ended) end_if_silent(now);
}

bool LogFollower::settle(Time now) {
  if (!stream_) return false;
  const auto end = stream_->ended();
  if (!end) return true;
  stream_.reset();
  take_end(*end, now);
  return false;
}

void LogFollower::start() {
  times_.read_again();
  log_.since = times_.since();
  began_at_end_ = container_ == Container::Ended;
  is_killed_ = is_too_silent_ = false;
  passed_on_ = 0;
  began_ = std::chrono::steady_clock::now();
  stream_ = std::make_unique<LogStream>(
      transport_, log_,
      LogStream::Hooks{[this](std::string_view bytes, const std::stop_token& stop) {
                         return pass_on(bytes, stop);
                       },
                       hooks_.wake});
}

bool LogFollower::pass_on(std::string_view bytes, const std::stop_token& stop) {
  const std::string_view text = bytes.empty() ? times_.end() : times_.take(bytes);
  passed_on_ += text.size();
  is_passing_on_ = true;
  const bool wanted = text.empty() || hooks_.on_text(text, stop);
  last_text_ = std::chrono::steady_clock::now();
  is_passing_on_ = false;
  if (!wanted && !stop.stop_requested()) is_unwanted_ = true;
  return wanted;
}

void LogFollower::take_end(const Result<void>& end, Time now) {
  if (is_unwanted_) return;
  if (is_too_silent_) {
    is_given_up_ = began_at_end_;
    if (is_given_up_) tell(Problem::Kind::Incomplete, "");
  } else if (!is_killed_) {
    return end ? take_clean_end(now) : take_failure(end.error(), now);
  }
  not_before_ = now;
}

void LogFollower::take_clean_end(Time now) {
  failures_ = 0;
  const std::string sentence = times_.take_words();
  // What was read once and is gone since then is not told.
  if (!sentence.empty() && clean_ends_ == 0) tell(Problem::Kind::Sentence, sentence);
  ++clean_ends_;
  const bool is_alone = container_ == Container::Unknown || clean_ends_ > 1;
  is_quiet_ = !log_.follow || began_at_end_ || (passed_on_ == 0 && is_alone);
  not_before_ = is_quiet_ ? now + kUsualDelay : now;
}

void LogFollower::take_failure(const Error& error, Time now) {
  // The transport gives up a stream on which nothing came for long.
  const bool was_idle = now - std::max(began_, last_text_.load()) > kLived;
  if (passed_on_ > 0 || now - began_ > kLived) failures_ = 0;
  ++failures_;
  is_quiet_ = false;
  if (container_ == Container::Unknown) {
    const auto lost = hooks_.lost();
    // A pod that is deleted takes its log with it, and a container that is removed.
    const bool is_gone = log_.follow && (error.kind == ErrorKind::NotFound ||
                                         (error.kind == ErrorKind::Invalid && clean_ends_ > 0));
    const bool was_read = clean_ends_ > 0 || !times_.since().empty();
    is_given_up_ = lost || !is_worth_a_retry(error, was_read) || failures_ >= kMostFailures;
    if (is_given_up_ && !is_gone)
      tell(Problem::Kind::Failure, lost ? lost->message : sentence_of(error));
  } else {
    is_given_up_ = began_at_end_;
    // A pod that is gone had its whole log read before.
    const bool is_news = !is_given_up_ || clean_ends_ == 0;
    if (is_news && !was_idle) tell(Problem::Kind::Failure, sentence_of(error));
  }
  // After the end there is one more try, at once: `run` waits for it.
  not_before_ = container_ == Container::Ended ? now : now + backoff_delay(kRetry, failures_);
}

void LogFollower::end_if_silent(Time now) {
  const Time last = is_passing_on_ ? now : std::max(began_, last_text_.load());
  const Time until = last + kLongestSilence;
  if (now < until) {
    next_ = std::min(next_, until);
    return;
  }
  is_too_silent_ = true;
  stream_->kill();
}

void LogFollower::tell(Problem::Kind kind, const std::string& why) {
  const std::string sentence = one_line(std::string(trimmed(why)));
  if (std::exchange(last_told_, sentence) != sentence || kind == Problem::Kind::Incomplete)
    hooks_.on_problem({kind, sentence});
}

void LogFollower::kill() {
  if (!stream_) return;
  is_killed_ = true;
  stream_->kill();
}

bool LogFollower::stop(Time until, const std::function<void(Time)>& wait) {
  kill();
  while (stream_ && !stream_->ended()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    wait(until);
  }
  stream_.reset();
  return true;
}

}  // namespace mc::kubectl
