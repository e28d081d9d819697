#include "services/kubectl-minicluster/view/log_filter.h"

#include <algorithm>
#include <utility>

#include "common/api/model/names.h"

namespace mc::kubectl {
namespace {

constexpr std::string_view kNextOwnLine = "\nminicluster:";
constexpr std::string_view kOwnLine = kNextOwnLine.substr(1);
constexpr std::string_view kErrorLine = "minicluster: error:";

}  // namespace

const std::vector<LogFilter::Part>& LogFilter::feed(std::string_view bytes) {
  parts_.clear();
  while (!bytes.empty()) take(bytes);
  return parts_;
}

void LogFilter::take(std::string_view& bytes) {
  switch (at_) {
    case At::Start:
      return at_start(bytes);
    case At::Line:
      return in_line(bytes);
    case At::Own:
    case At::Error:
      return to_end_of_line(bytes);
  }
}

std::string_view LogFilter::rest() const {
  const bool is_dropped = own_ == At::Own && held_.size() >= kOwnLine.size();
  return is_dropped ? "" : std::string_view(held_);
}

// Of the beginnings of lines that mean something, the one that agrees with the line the longest.
LogFilter::Beginning LogFilter::beginning_with(std::string_view bytes) const {
  Beginning best;
  for (const std::string_view text : {kErrorLine, api::kStderrLabel, api::kLingers}) {
    if (!text.starts_with(held_)) continue;
    const std::string_view wanted = text.substr(held_.size());
    const auto more = std::ranges::mismatch(wanted, bytes).in1 - wanted.begin();
    const std::size_t known = held_.size() + static_cast<std::size_t>(more);
    if (best.text.empty() || known > best.known) best = {text, known};
  }
  return best;
}

// Compares byte by byte until one differs from all that our lines begin with: then it is decided
// what the line is.
void LogFilter::at_start(std::string_view& bytes) {
  const auto [text, known] = beginning_with(bytes);
  const std::string_view begun = bytes.substr(0, known - held_.size());
  bytes.remove_prefix(begun.size());
  if (bytes.empty() && known < text.size()) {
    held_ += begun;
    return;
  }
  const bool is_known = known == text.size();
  const bool lingers = is_known && text == api::kLingers;
  lingers_ = lingers_ || lingers;
  at_ = is_known && !lingers ? At::Error : known >= kOwnLine.size() ? own_ : At::Line;
  const bool is_label = is_known && text == api::kStderrLabel;
  const bool is_shown = at_ != At::Own && !is_label;
  if (!held_.empty()) {  // at the first line of a feed only
    earlier_ = std::exchange(held_, "");
    if (is_shown) add(earlier_, at_ == At::Error);
  }
  if (is_shown) add(begun, at_ == At::Error);
}

void LogFilter::in_line(std::string_view& bytes) {
  const std::size_t own = bytes.find(kNextOwnLine);
  std::size_t end = bytes.size();
  if (own != std::string_view::npos) {
    end = own + 1;
    at_ = At::Start;
  } else if (const std::size_t last = bytes.rfind('\n'); last != std::string_view::npos) {
    const std::string_view line = bytes.substr(last + 1);
    if (kOwnLine.starts_with(line)) {
      end = last + 1;
      at_ = At::Start;
    }
  }
  add(bytes.substr(0, end), false);
  bytes.remove_prefix(end);
}

void LogFilter::to_end_of_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
  if (at_ == At::Error) add(bytes.substr(0, end), true);
  if (bytes[end - 1] == '\n') at_ = At::Start;
  bytes.remove_prefix(end);
}

void LogFilter::add(std::string_view text, bool is_error) {
  if (!text.empty()) parts_.push_back({text, is_error});
}

}  // namespace mc::kubectl
