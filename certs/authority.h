#pragma once
#include <chrono>
#include <string>

#include "common/base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace mc::certs {

// A certificate and its private key, as PEM texts.
struct Pem {
  std::string certificate;
  std::string key;
  bool operator==(const Pem&) const = default;
};

// Fresh pairs: ECDSA on P-256, a random serial of 128 bits. They are valid from a tenth of their
// life but at most an hour before `now`, for clocks that are behind, and until `now` + `lifetime`.
// Malformed: OpenSSL refuses; the error never holds a key.

// An authority that signs itself and servers, no other authorities.
[[nodiscard]] Result<Pem> make_authority(std::chrono::system_clock::time_point now,
                                         std::chrono::seconds lifetime);

// A TLS server of `dns_name`. It does not outlive its authority.
[[nodiscard]] Result<Pem> make_server(const Pem& authority, const std::string& dns_name,
                                      std::chrono::system_clock::time_point now,
                                      std::chrono::seconds lifetime);

// Makes every connection of a server show a certificate for `dns_name` that signs itself, of a
// fresh key that is nowhere but in `context`. For encryption only: nobody can verify it. False when
// OpenSSL refuses.
bool show_self_signed(ssl_ctx_st& context, const std::string& dns_name,
                      std::chrono::system_clock::time_point now, std::chrono::seconds lifetime);

}  // namespace mc::certs
