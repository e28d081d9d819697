#pragma once
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mc::test {

// A socket that listens on a free port of 127.0.0.1. Throws if it cannot.
class Listener {
 public:
  explicit Listener(int backlog);
  ~Listener() { ::close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int fd() const { return fd_; }
  const sockaddr_in& address() const { return address_; }
  int port() const { return ntohs(address_.sin_port); }

 private:
  const int fd_;
  sockaddr_in address_{};
};

}  // namespace mc::test
