#pragma once
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/kube/config.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace mc::kube {

// Trusted authorities and client certificate for TLS with one server, parsed once. Thread safe.
//
// httplib 0.11.4 verifies servers itself, but always trusts the system's authorities in addition to
// the given ones, reads past the end of an IPv4 address in a certificate if the host is an IPv6
// address, and accepts a common name as a host name. So its check is turned off, and OpenSSL
// verifies the server during the handshake.
class Tls {
 public:
  // Fails with Malformed if a PEM text of `config` cannot be used.
  [[nodiscard]] static Result<Tls> create(const Config& config, const std::string& host);
  Tls(Tls&&) noexcept;
  ~Tls();

  // Prepares the context of one connection. If the server's certificate is refused, the handshake
  // writes the reason to `refusal`, which must outlive the context.
  [[nodiscard]] Result<void> prepare(ssl_ctx_st& context, std::string& refusal) const;

 private:
  struct Parts;
  explicit Tls(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace mc::kube
