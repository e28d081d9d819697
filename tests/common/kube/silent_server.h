#pragma once
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/listener.h"

namespace mc::kube {

// A server that accepts connections and never answers.
class SilentServer {
 public:
  SilentServer() = default;
  ~SilentServer() {
    for (const int client : clients_) close(client);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(listener_.port()); }

  // Stops accepting connections: the backlog is full, and the kernel drops connection attempts.
  void become_a_black_hole() {
    listen(listener_.fd(), 0);
    for (int i = 0; i < 2; ++i) {
      clients_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      static_cast<void>(connect(clients_.back(),
                                reinterpret_cast<const sockaddr*>(&listener_.address()),
                                sizeof(sockaddr_in)));
    }
  }

  // Whether a client is, or was, connected.
  bool is_connected_to() const {
    return accepted_ || readable(listener_.fd(), std::chrono::seconds(0));
  }

  // Everything that the first connection sends until its end.
  std::string received() {
    EXPECT_TRUE(readable(listener_.fd(), std::chrono::seconds(60)));
    accepted_ = true;
    const int client = accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    std::string all;
    std::array<char, 4096> piece{};
    while (readable(client, std::chrono::seconds(60))) {
      const ssize_t n = read(client, piece.data(), piece.size());
      if (n <= 0) break;
      all.append(piece.data(), static_cast<std::size_t>(n));
    }
    close(client);
    return all;
  }

 private:
  static bool readable(int socket, std::chrono::milliseconds limit) {
    pollfd waiting{socket, POLLIN, 0};
    return poll(&waiting, 1, static_cast<int>(limit.count())) == 1;
  }

  const test::Listener listener_{5};
  std::atomic<bool> accepted_ = false;
  std::vector<int> clients_;
};

}  // namespace mc::kube
