#pragma once
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/kube/config.h"

struct ssl_st;  // OpenSSL's SSL

namespace mc::kube {

// Trusted authorities and client certificate for TLS with one server, parsed once. Thread safe.
//
// OpenSSL verifies the server during the handshake. httplib 0.11.4 would verify it itself, but
// always trusts the system's authorities in addition to the given ones, reads past the end of an
// IPv4 address in a certificate if the host is an IPv6 address, and accepts a common name as a host
// name.
class Tls {
 public:
  // Fails with Malformed if a PEM text of `config` cannot be used.
  [[nodiscard]] static Result<Tls> create(const Config& config, const std::string& host);
  Tls(Tls&&) noexcept;
  ~Tls();

  // A connection over this socket, before its handshake, which the caller frees; null: no memory.
  // If the server's certificate is refused, the handshake writes the reason to `refusal`, which
  // must outlive the connection, and so must this.
  [[nodiscard]] ssl_st* new_connection(int socket, std::string& refusal) const;

 private:
  struct Parts;
  explicit Tls(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace mc::kube
