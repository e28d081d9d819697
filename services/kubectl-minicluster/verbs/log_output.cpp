#include "services/kubectl-minicluster/verbs/log_output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace mc::kubectl {
namespace {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd, bytes.data(), bytes.size());
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {  // whoever gave us the descriptor does not want to wait
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

LogOutput::LogOutput(int out, int err, std::function<void()> before_write)
    : out_(out), err_(err), before_write_(std::move(before_write)) {}

bool LogOutput::write(std::string_view bytes) { return write_parts(filter_.feed(bytes)); }

bool LogOutput::end_of_log() {
  const LogFilter last = std::exchange(filter_, {});
  return last.rest().empty() || write_parts({{last.rest()}});
}

bool LogOutput::write_parts(const std::vector<LogFilter::Part>& parts) {
  writing_ = true;
  for (const auto& [text, is_error] : parts) {
    before_write_();
    // Errors are also in the MiniCluster's status: losing them does not end anything.
    if (!write_all(is_error ? err_ : out_, text) && !is_error) broken_ = true;
    if (!is_error) in_line_ = text.back() != '\n';
  }
  last_write_ = std::chrono::steady_clock::now();
  writing_ = false;
  return !broken_;
}

}  // namespace mc::kubectl
