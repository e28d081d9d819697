#include "services/kubectl-minicluster/client/stop_requests.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "common/base/clock.h"

namespace mc::kubectl {
namespace {

constexpr int kEnd = SIGUSR2;  // from ourselves

bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopRequests::StopRequests(std::function<void(int signal)> on_request, From from)
    : on_request_(std::move(on_request)), parent_(::getppid()), hangs_up_(!is_ignored(SIGHUP)) {
  sigemptyset(&signals_);
  sigaddset(&signals_, kEnd);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waiter_ = std::thread([this] { wait_for_signals(); });
  if (from == From::SignalsOnly) return;
  others_ = std::jthread([this](const std::stop_token& stop) { watch_others(stop); });
}

StopRequests::~StopRequests() {
  ending_ = true;
  pthread_kill(waiter_.native_handle(), kEnd);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopRequests::wait_for_signals() {
  while (!ending_) {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (!ending_ && signal != kEnd) on_request_(signal);
  }
}

// No system tells it in a way that all have.
void StopRequests::watch_others(const std::stop_token& stop) {
  bool has_reader = true;
  while (!stop.stop_requested()) {
    if (hangs_up_ && ::getppid() != parent_) return on_request_(SIGHUP);
    if (has_reader && !is_read(STDOUT_FILENO)) {
      has_reader = false;
      on_request_(SIGPIPE);
    }
    wait(std::chrono::seconds(1), stop);
  }
}

bool is_read(int fd) {
  pollfd reader{fd, 0, 0};
  return ::poll(&reader, 1, 0) < 1 || (reader.revents & (POLLERR | POLLHUP)) == 0;
}

}  // namespace mc::kubectl
