#pragma once
#include <chrono>

#include "common/base/guarded.h"

// Socket functions that httplib lacks.
namespace mc::kube {

// Makes the kernel notice a dead peer within a minute.
void set_liveness(int socket);

// What is written from now on is sent within `time` or not at all: the kernel aborts the connection
// if its bytes are not acknowledged by then, and discards them when the socket is closed, also at
// the end of the process.
void limit_sending(int socket, std::chrono::milliseconds time);

// Shuts down a socket from another thread. httplib's own stop() would wait for a connection
// attempt, and has no effect just before one. Holds a duplicate of the descriptor, so that it never
// shuts down another socket with a reused number. On Linux, a socket that is shut down before it
// connects stays so: its first read ends.
class SocketStop {
 public:
  SocketStop() = default;
  ~SocketStop() { watch(-1); }
  SocketStop(const SocketStop&) = delete;
  SocketStop& operator=(const SocketStop&) = delete;

  // Watches this socket from now on, none if it is below 0. After a stop() it is shut down at once.
  void watch(int socket);
  void stop();

 private:
  struct State {
    int socket = -1;
    bool stopped = false;
  };
  Guarded<State> state_;
};

}  // namespace mc::kube
