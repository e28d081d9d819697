#include "services/kubectl-minicluster/verbs/run_input.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace mc::kubectl {
namespace {

using std::chrono::seconds;

constexpr BackoffPolicy kAttachAgain{seconds(1), seconds(5)};
constexpr seconds kForgetFailuresAfter{60};
// The end of the container may be known later than that of the connection to it.
constexpr seconds kEndIsLate{3};

}  // namespace

LeadInput::LeadInput(const Kubectl& kubectl, std::string container, std::string ranks, Input kind,
                     LeadHooks hooks)
    : kubectl_(kubectl),
      container_(std::move(container)),
      ranks_(std::move(ranks)),
      kind_(kind),
      hooks_(std::move(hooks)),
      began_at_(kind == Input::File ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0),
      backoff_(kAttachAgain, kForgetFailuresAfter) {}

void LeadInput::look(const std::optional<Lead>& lead, bool is_over, Time now) {
  next_ = Time::max();
  if (kind_ == Input::None) return;
  if (stream_) {
    if (const auto error = stream_->ended()) take_end(*error, now);
  }
  const bool runs = lead && !lead->ended && !is_over;
  if (!runs) {
    tell_at_.reset();
    return;
  }
  if (!lead_ || !lead->is_same_run(*lead_)) {
    end_stream();
    tell_at_.reset();
    is_done_ = false;
    not_before_ = {};
    backoff_.reset();
    start(*lead);
    return;
  }
  if (tell_at_ && now >= *tell_at_) {
    hooks_.say(error_);
    tell_at_.reset();
  }
  if (tell_at_) next_ = std::min(next_, *tell_at_);
  if (stream_ || is_done_) return;
  now >= not_before_ ? start(*lead) : void(next_ = std::min(next_, not_before_));
}

void LeadInput::start(const Lead& lead) {
  InputStream::Recipient target = recipient_at(lead);
  lead_ = lead;
  stream_ = std::make_unique<InputStream>(kubectl_, std::move(target), hooks_.wake);
}

void LeadInput::end_stream() {
  if (!stream_) return;
  has_given_ = has_given_ || stream_->has_given();
  stream_.reset();
}

InputStream::Recipient LeadInput::recipient_at(const Lead& lead) {
  InputStream::Recipient out{lead.pod, container_, "minicluster input " + ranks_, false};
  if (!has_given_ || kind_ == Input::Terminal) return out;
  if (kind_ == Input::File && ::lseek(STDIN_FILENO, began_at_, SEEK_SET) == began_at_) return out;
  hooks_.say(
      "the lead was recreated, but the standard input cannot be sent again, so the command will "
      "not "
      "run");
  out.first_line = "minicluster input gone";
  out.is_all = true;
  return out;
}

// An attach that fails can be tried again, because nothing of the input was read: the lead waits.
void LeadInput::take_end(const std::string& error, Time now) {
  const bool was_connected = stream_->is_connected();
  end_stream();
  is_done_ = error.empty() || was_connected;
  if (error.empty()) return;
  if (!is_done_) not_before_ = now + backoff_.next(now, 0);
  error_ = is_done_
               ? "the connection to the command's standard input was lost, so the command may have "
                 "received only a part of its input: " +
                     error
               : "cannot send the standard input to the command: " + error;
  tell_at_ = now + kEndIsLate;
}

}  // namespace mc::kubectl
