#include "common/kube/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace mc::kube {
namespace {

void set_option(int socket, int level, int name, int value) {
  setsockopt(socket, level, name, &value, sizeof(value));
}

// Only Linux has this option. A program that also runs elsewhere connects through a Unix
// socket, which ignores all of these.
void limit_unacknowledged([[maybe_unused]] int socket, [[maybe_unused]] int milliseconds) {
#ifdef TCP_USER_TIMEOUT
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
#endif
}

}  // namespace

void set_liveness(int socket) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
#endif
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  limit_unacknowledged(socket, 60'000);
}

void limit_sending(int socket, std::chrono::milliseconds time) {
  const auto most = std::clamp<std::chrono::milliseconds::rep>(time.count(), 1, 60'000);
  limit_unacknowledged(socket, static_cast<int>(most));
  const linger none{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

void SocketStop::watch(int socket) {
  state_.with([&](State& state) {
    if (state.socket >= 0) close(state.socket);
    state.socket = socket < 0 ? -1 : dup(socket);
    if (state.stopped && state.socket >= 0) shutdown(state.socket, SHUT_RDWR);
  });
}

void SocketStop::stop() {
  state_.with([](State& state) {
    state.stopped = true;
    if (state.socket >= 0) shutdown(state.socket, SHUT_RDWR);
  });
}

}  // namespace mc::kube
