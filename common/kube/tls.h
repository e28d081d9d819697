#pragma once
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/kube/config.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace mc::kube {

// What is trusted and shown in TLS handshakes with one server, parsed once. Safe for use by many
// threads once made.
//
// httplib 0.11.4 checks a server by itself, but always trusts the system's authorities besides the
// ones it is given, reads past the end of an IPv4 address in a certificate when the host is an
// IPv6 one, and lets a common name stand for a host. So its check is turned off, and OpenSSL does
// it within the handshake.
class Tls {
 public:
  // Fails with Malformed if a PEM text of `config` cannot be used.
  [[nodiscard]] static Result<Tls> create(const Config& config, const std::string& host);
  Tls(Tls&&) noexcept;
  ~Tls();

  // Prepares the context of one connection. `refusal` must outlive it; a handshake that fails
  // because of the server's certificate writes the reason there.
  [[nodiscard]] Result<void> prepare(ssl_ctx_st& context, std::string& refusal) const;

 private:
  struct Parts;
  explicit Tls(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace mc::kube
