#include "tests/support/loopback_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace mc::test {

bool use_identity(SSL_CTX& context, const Identity& identity, const std::string& client_authority) {
  const auto certificate = [](const std::string& pem) {
    return std::move(openssl::certificates_of(pem).all.front());
  };
  if (!client_authority.empty()) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), certificate(client_authority).get());
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return SSL_CTX_use_certificate(&context, certificate(identity.certificate_pem).get()) == 1 &&
         SSL_CTX_use_PrivateKey(&context, openssl::private_key(identity.key_pem).get()) == 1;
}

Connection::Connection(int socket, SSL_CTX* tls)
    : socket_(socket), tls_(tls == nullptr ? nullptr : SSL_new(tls)) {
  if (!tls_) return;
  SSL_set_fd(tls_.get(), socket_);
  SSL_accept(tls_.get());
}

Connection::~Connection() = default;

std::string Connection::piece() {
  std::string bytes(16'384, '\0');
  const auto count = tls_ ? SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                          : static_cast<int>(::recv(socket_, bytes.data(), bytes.size(), 0));
  bytes.resize(static_cast<std::size_t>(std::max(count, 0)));
  return bytes;
}

std::string Connection::request() {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string more = piece();
    if (more.empty()) return "";
    head += more;
  }
  return head;
}

std::string Connection::rest() {
  std::string all;
  for (std::string more = piece(); !more.empty(); more = piece()) all += more;
  return all;
}

void Connection::outlast_client() const {
  pollfd gone{socket_, POLLRDHUP, 0};
  while (::poll(&gone, 1, -1) < 0) continue;  // a signal
}

void Connection::send(const std::vector<std::string>& records) {
  for (const auto& record : records) {
    if (tls_) {
      SSL_write(tls_.get(), record.data(), static_cast<int>(record.size()));
    } else {
      ::send(socket_, record.data(), record.size(), MSG_NOSIGNAL);
    }
  }
}

void Connection::send_at_once(const std::vector<std::string>& records, bool and_end) {
  hold_back(1);
  send(records);
  if (and_end) say_end();
  hold_back(0);
}

void Connection::say_end() {
  if (tls_) {
    SSL_shutdown(tls_.get());
  } else {
    ::shutdown(socket_, SHUT_WR);
  }
}

void Connection::hold_back(int on) const {
  ::setsockopt(socket_, IPPROTO_TCP, TCP_CORK, &on, sizeof(on));
}

// Only the threads are httplib's.
class LoopbackServer::Scripted : public httplib::Server {
 public:
  Scripted(Script script, SSL_CTX* tls, std::atomic<int>& connections)
      : script_(std::move(script)), tls_(tls), connections_(connections) {
    set_read_timeout(std::chrono::hours(1));
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    ++connections_;
    {
      Connection connection(socket, tls_);
      script_(connection);
    }
    ::close(socket);
    return true;
  }

  const Script script_;
  SSL_CTX* const tls_;
  std::atomic<int>& connections_;
};

LoopbackServer::LoopbackServer() : server_(std::make_unique<httplib::Server>()) {}

LoopbackServer::LoopbackServer(const Identity& identity, const std::string& client_authority)
    : scheme_("https"), server_(std::make_unique<httplib::SSLServer>([=](SSL_CTX& context) {
        return use_identity(context, identity, client_authority);
      })) {}

LoopbackServer::LoopbackServer(Script script)
    : server_(std::make_unique<Scripted>(std::move(script), nullptr, connections_)) {
  start();
}

LoopbackServer::LoopbackServer(const Identity& identity, Script script)
    : scheme_("https"),
      tls_(SSL_CTX_new(TLS_server_method())),
      server_(std::make_unique<Scripted>(std::move(script), tls_.get(), connections_)) {
  use_identity(*tls_, identity, {});
  start();
}

LoopbackServer::~LoopbackServer() {
  server_->stop();
  if (thread_.joinable()) thread_.join();
}

void LoopbackServer::start() {
  server_->set_tcp_nodelay(true);
  server_->set_keep_alive_max_count(1000);
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();  // an earlier stop() has no effect
}

}  // namespace mc::test
