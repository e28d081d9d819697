#include "services/kubectl-minicluster/verbs/run_output.h"

#include <utility>

namespace mc::kubectl {

LogOutput::LogOutput(int out, int err, Hooks hooks, LogFilter filter)
    : out_(out), err_(err), hooks_(std::move(hooks)), fresh_(std::move(filter)), filter_(fresh_) {}

bool LogOutput::write(std::string_view bytes) {
  const bool is_written = write_parts(filter_.feed(bytes));
  if (filter_.take_lingers()) hooks_.on_linger();
  return is_written;
}

bool LogOutput::end_of_log() {
  const LogFilter last = std::exchange(filter_, fresh_);
  return last.rest().empty() || write_parts({{last.rest()}});
}

bool LogOutput::write_parts(const std::vector<LogFilter::Part>& parts) {
  writing_ = true;
  for (const auto& [text, is_error] : parts) {
    hooks_.before_write();
    // Errors are also in the MiniCluster's status: losing them does not end anything.
    (is_error ? err_ : out_).write(text, {});
    if (!is_error) in_line_ = text.back() != '\n';
  }
  last_write_ = std::chrono::steady_clock::now();
  writing_ = false;
  return !is_broken();
}

}  // namespace mc::kubectl
