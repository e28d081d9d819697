#include "services/kubectl-minicluster/view/log_position.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/base/text.h"

namespace mc::kubectl {
namespace {

constexpr std::size_t kWholeLine = std::numeric_limits<std::size_t>::max();
// `2026-11-24T22:00:00.123456789+01:00`; what is longer is none.
constexpr std::size_t kLongestTime = 35;

// How the kubelet's own sentences begin.
constexpr std::array<std::string_view, 9> kSentences = {
    "unable to retrieve container logs for ",
    "failed to try resolving symlinks in path \"",
    "failed to open log file \"",
    "failed to read log file \"",
    "failed to reset seek in log file \"",
    "failed to create fsnotify watcher: ",
    "failed to watch directory \"",
    "failed to get parse function: ",
    "rpc error: code = "};

}  // namespace

std::string_view leading_time(std::string_view line) {
  const std::string_view time = line.substr(0, line.find(' '));
  const bool is_time = time.size() > 19 && time.size() <= kLongestTime &&
                       time.size() < line.size() && time[4] == '-' && time[10] == 'T' &&
                       time[13] == ':' && is_digit(time[0]);
  return is_time ? time : std::string_view();
}

Kubelets is_kubelets(std::string_view begun, bool sends_times) {
  if (sends_times) return Kubelets::Yes;
  const auto any = [](const auto& matches) { return std::ranges::any_of(kSentences, matches); };
  if (any([&](std::string_view sentence) { return begun.starts_with(sentence); }))
    return Kubelets::Yes;
  return any([&](std::string_view sentence) { return sentence.starts_with(begun); })
             ? Kubelets::Maybe
             : Kubelets::No;
}

LogPosition::Line LogPosition::next(std::string_view time) {
  if (time < known_time_) return Line::Earlier;
  if (time == known_time_ && again_ < known_lines_) {
    return ++again_ == known_lines_ ? Line::Last : Line::Earlier;
  }
  if (time > time_) {
    time_ = time;
    lines_ = 0;
  }
  if (time == time_) ++lines_;
  return Line::New;
}

void LogPosition::read_again() {
  known_time_ = time_;
  known_lines_ = lines_;
  again_ = 0;
}

std::string_view LogTimes::take(std::string_view bytes) {
  out_.clear();
  while (!bytes.empty()) in_line_ ? to_end_of_line(bytes) : begin_line(bytes);
  return out_;
}

std::string_view LogTimes::end() {
  out_.clear();
  has_time_ = false;
  const bool sends_times = !since().empty();
  // What begins with a digit is a time that was cut.
  if (!begun_.empty() && !(sends_times && is_digit(begun_[0]))) {
    is_kubelets_ = is_kubelets(begun_, sends_times) == Kubelets::Yes;
    add(begun_);
  }
  begun_.clear();
  in_line_ = false;
  return out_;
}

void LogTimes::read_again() {
  position_.read_again();
  begun_.clear();
  in_line_ = false;
  skip_without_ = without_time_;
}

void LogTimes::begin_line(std::string_view& bytes) {
  const std::size_t missing = kLongestTime - std::min(begun_.size(), kLongestTime);
  const std::string_view first = bytes.substr(0, missing + 1);
  const std::size_t end = first.find_first_of(" \n");
  const std::string_view part = first.substr(0, end == first.npos ? end : end + 1);
  begun_ += part;
  bytes.remove_prefix(part.size());
  if (end == first.npos && begun_.size() <= kLongestTime) return;
  const std::string_view time = leading_time(begun_);
  has_time_ = !time.empty();
  is_kubelets_ = false;
  if (has_time_) {
    begin_line_at(time);
  } else {
    const Kubelets kubelets = is_kubelets(begun_, !since().empty());
    if (kubelets == Kubelets::Maybe) return;
    is_kubelets_ = kubelets == Kubelets::Yes;
    add(begun_);
  }
  in_line_ = has_time_ || !begun_.ends_with('\n');
  begun_.clear();
}

void LogTimes::begin_line_at(std::string_view time) {
  switch (position_.next(time)) {
    case LogPosition::Line::New:
      skip_ = of_last_ = 0;
      if (keeps_times_) out_.append(time) += ' ';
      break;
    case LogPosition::Line::Last:
      skip_ = of_last_;
      break;
    case LogPosition::Line::Earlier:
      skip_ = kWholeLine;
      break;
  }
}

void LogTimes::to_end_of_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
  add(bytes.substr(0, end));
  in_line_ = bytes[end - 1] != '\n';
  bytes.remove_prefix(end);
}

void LogTimes::add(std::string_view text) {
  if (is_kubelets_) {
    words_ += text;
    return;
  }
  std::size_t& skip = has_time_ ? skip_ : skip_without_;
  const std::size_t skipped = std::min(skip, text.size());
  if (skip != kWholeLine) skip -= skipped;
  text.remove_prefix(skipped);
  out_ += text;
  (has_time_ ? of_last_ : without_time_) += text.size();
}

}  // namespace mc::kubectl
