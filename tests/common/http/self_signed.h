#pragma once
#include <httplib.h>

#include <memory>

#include "tests/support/loopback_server.h"

namespace mc::http {

// Sets up TLS with a new self-signed certificate.
inline bool use_self_signed(SSL_CTX& context) {
  return test::use_identity(context, test::make_authority("localhost"));
}

// A client that accepts every certificate, with a persistent connection.
inline std::unique_ptr<httplib::SSLClient> trustful_client(int port) {
  auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", port);
  client->enable_server_certificate_verification(false);
  client->set_keep_alive(true);
  client->set_tcp_nodelay(true);
  client->set_read_timeout(60);  // seconds; with ThreadSanitizer, 7 MiB take several
  return client;
}

}  // namespace mc::http
