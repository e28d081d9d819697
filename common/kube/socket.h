#pragma once
#include <chrono>

#include "common/base/guarded.h"

// What httplib does not do with its sockets, for Linux.
namespace mc::kube {

// A peer that is gone without a word is noticed within a minute.
void set_liveness(int socket);

// What is written from now on leaves within `time`, or not at all: the kernel gives the connection
// up when its bytes are not acknowledged by then, and keeps none of them when the socket is closed,
// by the end of the process, too.
void limit_sending(int socket, std::chrono::milliseconds time);

// Ends the use of a socket from another thread. httplib's own stop() would wait for a connection
// being made, and is forgotten if it comes just before. Holds a duplicate of the descriptor, so
// that it never shuts another socket that took its number. A socket shut before it is connected
// stays shut on Linux: its first read ends.
class SocketStop {
 public:
  SocketStop() = default;
  ~SocketStop() { watch(-1); }
  SocketStop(const SocketStop&) = delete;
  SocketStop& operator=(const SocketStop&) = delete;

  // This one from now on, none where it is below 0; it is shut at once after a stop().
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
