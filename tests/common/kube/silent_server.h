#pragma once
#include <arpa/inet.h>
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

namespace mc::kube {

// A server that accepts connections and never answers.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    socklen_t size = sizeof(address_);
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address_), size), 0);
    listen(socket_, 5);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &size);
  }
  ~SilentServer() {
    for (const int client : clients_) close(client);
    close(socket_);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

  // Stops accepting connections: the backlog is full, and the kernel drops connection attempts.
  void become_a_black_hole() {
    listen(socket_, 0);
    for (int i = 0; i < 2; ++i) {
      clients_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      static_cast<void>(
          connect(clients_.back(), reinterpret_cast<const sockaddr*>(&address_), sizeof(address_)));
    }
  }

  // Whether a client is, or was, connected.
  bool is_connected_to() const { return accepted_ || readable(socket_, std::chrono::seconds(0)); }

  // Everything that the first connection sends until its end.
  std::string received() {
    EXPECT_TRUE(readable(socket_, std::chrono::seconds(60)));
    accepted_ = true;
    const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
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

  int socket_;
  sockaddr_in address_{};
  std::atomic<bool> accepted_ = false;
  std::vector<int> clients_;
};

}  // namespace mc::kube
