#include "common/base/stop_signals.h"

namespace mc {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

const char* StopSignals::wait() const {
  int signal = 0;
  sigwait(&signals_, &signal);
  return signal == SIGTERM ? "SIGTERM" : "SIGINT";
}

}  // namespace mc
