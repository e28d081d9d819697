#include "common/base/stop_signals.h"

#include <algorithm>
#include <cerrno>

namespace mc {

namespace {

// As Kueue's controller (pkg/debugger).
constexpr int kDump = SIGUSR2;

const char* name(int signal) { return signal == SIGTERM ? "SIGTERM" : "SIGINT"; }

}  // namespace

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, kDump);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

const char* StopSignals::wait(const std::function<void()>& dump) const {
  while (true) {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (signal != kDump) return name(signal);
    if (dump) dump();
  }
}

const char* StopSignals::wait_for(std::chrono::milliseconds time) const {
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    const auto left = std::max<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now(),
                                                         std::chrono::nanoseconds(0));
    const auto whole = std::chrono::floor<std::chrono::seconds>(left);
    const timespec timeout{whole.count(), (left - whole).count()};
    const int signal = sigtimedwait(&signals_, nullptr, &timeout);
    if (signal == kDump) continue;
    if (signal > 0) return name(signal);
    if (errno != EINTR) return nullptr;
  }
}

}  // namespace mc
