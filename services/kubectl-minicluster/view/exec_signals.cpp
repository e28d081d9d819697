#include "services/kubectl-minicluster/view/exec_signals.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "common/base/text.h"

namespace mc::kubectl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kToEnd{5};
constexpr seconds kBetweenInterrupts{1};  // two within 2 s

constexpr const char* kAnnounce = R"(echo "$1 $$" >&2
shift
exec "$@"
)";

// $1 is the process; each step is two words, a signal and its patience in hundredths of a second,
// which are the unit of /proc/uptime. A container has Linux's /proc; not every sleep knows
// fractions.
constexpr const char* kSignal = R"(mc_process=$1
shift
mc_runs() { [ -d /proc/"$mc_process" ]; }
mc_clock() {
  read -r mc_now mc_idle </proc/uptime
  mc_now=${mc_now%.*}${mc_now#*.}
}
while [ $# -gt 0 ] && mc_runs; do
  kill "-$1" "-$mc_process" 2>/dev/null || kill "-$1" "$mc_process" || ! mc_runs || exit 1
  mc_clock
  mc_until=$((mc_now + $2))
  while [ "$mc_now" -lt "$mc_until" ] && mc_runs; do
    sleep 0.1 2>/dev/null || sleep 1
    mc_clock
  done
  shift 2
done
! mc_runs || exit 3
)";

// The size of the longest end of the text with which `word` may begin.
std::size_t size_of_beginning(std::string_view text, std::string_view word) {
  std::size_t size = std::min(text.size(), word.size());
  while (!word.starts_with(text.substr(text.size() - size))) --size;
  return size;
}

}  // namespace

std::vector<std::string> announced(const std::string& mark,
                                   const std::vector<std::string>& command) {
  std::vector<std::string> out = {"/bin/sh", "-c", kAnnounce, "sh", mark};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

std::string Announcement::take(std::string_view bytes) {
  if (!process_.empty()) return std::string(bytes);
  held_ += bytes;
  return take_line();
}

std::string Announcement::take_line() {
  const std::size_t at = held_.find(mark_);
  if (at == std::string::npos) {
    const std::size_t kept = size_of_beginning(held_, mark_);
    std::string out = held_.substr(0, held_.size() - kept);
    held_.erase(0, out.size());
    return out;
  }
  const std::size_t end = held_.find('\n', at);
  if (end == std::string::npos) return "";
  const std::size_t after = at + mark_.size();
  process_ = trimmed(std::string_view(held_).substr(after, end - after));
  std::string out = held_.erase(at, end + 1 - at);
  held_.clear();
  return out;
}

std::string Announcement::end() { return std::exchange(held_, ""); }

std::vector<SignalStep> steps_after(int signal, Program program) {
  std::vector<SignalStep> steps;
  if (signal != SIGINT || program == Program::Any)
    steps.push_back({signal == SIGPIPE ? SIGHUP : signal, kToEnd});
  if (program == Program::Flux) {
    steps.push_back({SIGINT, kBetweenInterrupts});
    steps.push_back({SIGINT, kToEnd});
  }
  return steps;
}

milliseconds patience_of(const std::vector<SignalStep>& steps) {
  milliseconds all{0};
  for (const SignalStep& step : steps) all += step.patience;
  return all;
}

std::vector<std::string> signal_command(const std::string& process,
                                        const std::vector<SignalStep>& steps) {
  std::vector<std::string> out = {"/bin/sh", "-c", kSignal, "sh", process};
  for (const SignalStep& step : steps) {
    out.push_back(name_of_signal(step.signal).substr(3));
    out.push_back(std::to_string(step.patience / milliseconds(10)));
  }
  return out;
}

int code_after(int signal, Program program, int code) {
  const bool cancelled = program == Program::Flux && signal == SIGINT;
  return cancelled && code != 0 ? 128 + signal : code;
}

std::string name_of_signal(int signal) {
  switch (signal) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGPIPE:
      return "SIGPIPE";
    default:
      return "SIGTERM";
  }
}

}  // namespace mc::kubectl
