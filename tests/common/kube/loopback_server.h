#pragma once
#include <httplib.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "common/base/openssl.h"
#include "common/kube/transport.h"
#include "tests/common/kube/test_pki.h"
#include "tests/support/must.h"

namespace mc::kube {

// An HTTP server on a free port of 127.0.0.1. Add routes to `routes()`, then call start(). The
// destructor stops it: release whatever a handler waits for first.
class LoopbackServer {
 public:
  LoopbackServer() : server_(std::make_unique<httplib::Server>()) {}

  // TLS with this identity. With a client authority, clients need a certificate that it signed.
  explicit LoopbackServer(const Identity& identity, const std::string& client_authority = {})
      : scheme_("https"), server_(std::make_unique<httplib::SSLServer>([=](SSL_CTX& context) {
          return use(context, identity, client_authority);
        })) {}

  ~LoopbackServer() {
    server_->stop();
    if (thread_.joinable()) thread_.join();
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  httplib::Server& routes() { return *server_; }

  void start() {
    server_->set_tcp_nodelay(true);
    server_->set_keep_alive_max_count(1000);
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();  // an earlier stop() has no effect
  }

  int port() const { return port_; }
  std::string url(const std::string& host = "127.0.0.1") const {
    return scheme_ + "://" + host + ":" + std::to_string(port_);
  }

 private:
  static bool use(SSL_CTX& context, const Identity& identity, const std::string& client_authority) {
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

  std::string scheme_ = "http";
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
  int port_ = 0;
};

inline std::unique_ptr<Transport> transport_to(const std::string& url,
                                               TransportOptions options = {}, Config config = {}) {
  config.server = url;
  return test::must(Transport::create(config, std::move(options)));
}

inline Request get(const std::string& path) {
  Request request;
  request.method = "GET";
  request.path = path;
  request.what = "get " + path;
  return request;
}

}  // namespace mc::kube
