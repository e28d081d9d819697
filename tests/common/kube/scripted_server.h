#pragma once
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/openssl.h"
#include "tests/common/kube/test_pki.h"
#include "tests/support/listener.h"

namespace mc::kube {

// The server's end of a TLS connection. A failure to send is left to the client's end to notice.
class ScriptedConnection {
 public:
  ScriptedConnection(SSL_CTX& context, int socket) : socket_(socket), tls_(SSL_new(&context)) {
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    SSL_set_fd(tls_.get(), socket_);
    SSL_accept(tls_.get());
  }
  ~ScriptedConnection() {
    tls_.reset();
    close(socket_);
  }
  ScriptedConnection(const ScriptedConnection&) = delete;
  ScriptedConnection& operator=(const ScriptedConnection&) = delete;

  // Waits for a request without a body. False: the client has closed the connection.
  bool has_request() {
    std::string head;
    std::array<char, 4096> piece{};
    while (!head.ends_with("\r\n\r\n")) {
      const int count = SSL_read(tls_.get(), piece.data(), piece.size());
      if (count <= 0) return false;
      head.append(piece.data(), static_cast<std::size_t>(count));
    }
    return true;
  }

  // Each of these is a TLS record, or more if it is longer than 16 KiB.
  void send(const std::vector<std::string>& records) {
    for (const auto& record : records) {
      SSL_write(tls_.get(), record.data(), static_cast<int>(record.size()));
    }
  }

  // They reach the client in one piece, with the end if it is to be said.
  void send_at_once(const std::vector<std::string>& records, bool and_end = false) {
    hold_back(1);
    send(records);
    if (and_end) say_end();
    hold_back(0);
  }

  // Tells the client that this is the end. Without it, anybody could have cut the connection.
  void say_end() { SSL_shutdown(tls_.get()); }

 private:
  void hold_back(int on) { setsockopt(socket_, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)); }

  int socket_;
  std::unique_ptr<SSL, FreeWith<SSL_free>> tls_;
};

// A TLS server that answers with what HTTP does not allow, or in pieces of the test's choice. It
// runs the script for one connection after the other; the end of the script closes it.
class ScriptedServer {
 public:
  using Script = std::function<void(ScriptedConnection&)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)) {
    const Identity identity = issue(authority_, "s", "IP:127.0.0.1");
    SSL_CTX_use_certificate(context_.get(),
                            openssl::certificates_of(identity.certificate_pem).all.front().get());
    SSL_CTX_use_PrivateKey(context_.get(), openssl::private_key(identity.key_pem).get());
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    shutdown(listener_.fd(), SHUT_RDWR);
    thread_.join();
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const { return "https://127.0.0.1:" + std::to_string(listener_.port()); }
  const std::string& authority_pem() const { return authority_.certificate_pem; }
  int connections() const { return connections_; }

 private:
  void serve() {
    for (;;) {
      const int client = accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      ++connections_;
      ScriptedConnection connection(*context_, client);
      script_(connection);
    }
  }

  const Script script_;
  const Identity authority_ = make_authority("ca");
  const std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>> context_{SSL_CTX_new(TLS_server_method())};
  const test::Listener listener_{5};
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

}  // namespace mc::kube
