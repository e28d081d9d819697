#include "services/kubectl-minicluster/client/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "services/kubectl-minicluster/client/stop_requests.h"

namespace mc::kubectl {
namespace {

// A pipe that is ready takes this much without blocking.
#ifdef PIPE_BUF
constexpr std::size_t kPiece = PIPE_BUF;
#else
constexpr std::size_t kPiece = _POSIX_PIPE_BUF;
#endif

constexpr int kLookForStop = 500;  // milliseconds

}  // namespace

bool Output::wait_for_room(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd room{fd_, POLLOUT, 0};
    const int ready = ::poll(&room, 1, kLookForStop);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return fail(errno);
  }
  return false;
}

bool Output::write(std::string_view text, const std::stop_token& stop) {
  const std::scoped_lock lock(mutex_);
  while (!text.empty()) {
    if (!wait_for_room(stop)) return false;
    const ssize_t size = ::write(fd_, text.data(), std::min(text.size(), kPiece));
    if (size < 0 && errno != EINTR && errno != EAGAIN) return fail(errno);
    if (size > 0) text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

// Always false. A terminal that was closed is told as a fault of a device.
bool Output::fail(int error) {
  error_ = error == EIO && !is_read(fd_) ? EPIPE : error;
  return false;
}

bool is_without_reader(int error) { return error == EPIPE || error == ECONNRESET; }

}  // namespace mc::kubectl
