#include "services/kubectl-minicluster/cluster/wakeups.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "services/kubectl-minicluster/cluster/terminal.h"

namespace mc::kubectl {
namespace {

// For the handler, which may use nothing else.
std::atomic<int> signal_received{0};
std::atomic<int> signal_pipe{-1};

extern "C" void remember_signal(int number) {
  const int saved = errno;
  signal_received = number;
  const char byte = 's';
  [[maybe_unused]] const ssize_t written = ::write(signal_pipe, &byte, 1);
  errno = saved;
}

bool ignores_hangup() {
  struct sigaction action{};
  return ::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Wakeups::Wakeups() : parent_(::getppid()), outlives_parent_(ignores_hangup()) {
  if (::pipe(pipe_.data()) == 0) {
    for (const int fd : pipe_) {
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
      ::fcntl(fd, F_SETFL, O_NONBLOCK);  // one byte is enough to wake
    }
  }
  signal_received = 0;
  signal_pipe = pipe_[1];
  struct sigaction action{};
  action.sa_handler = remember_signal;
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
}

Wakeups::~Wakeups() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
  signal_pipe = -1;
  for (const int fd : pipe_) ::close(fd);
}

void Wakeups::wake() {
  const char byte = 'w';
  [[maybe_unused]] const ssize_t written = ::write(pipe_[1], &byte, 1);
}

std::optional<int> Wakeups::wait(std::chrono::milliseconds limit) {
  // The parent's end is not reported to us, so it is looked for.
  const auto most = std::min(limit, std::chrono::milliseconds(1000));
  std::array<pollfd, 2> waiting{pollfd{pipe_[0], POLLIN, 0}, pollfd{STDOUT_FILENO, 0, 0}};
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(most.count())) > 0) {
    std::array<char, 256> ignored{};
    while (::read(pipe_[0], ignored.data(), ignored.size()) > 0) {
    }
  }
  if (const int number = signal_received) return 128 + number;
  if ((waiting[1].revents & (POLLERR | POLLHUP)) != 0) return kBrokenPipe;
  if (::getppid() != parent_ && !outlives_parent_) return kHungUp;
  return std::nullopt;
}

}  // namespace mc::kubectl
