#pragma once
#include <chrono>
#include <string>

#include "common/base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace mc::certs {

// A certificate and its private key, in PEM.
struct Pem {
  std::string certificate;
  std::string key;
  bool operator==(const Pem&) const = default;
};

// New pairs: ECDSA on P-256 with a random 128-bit serial number. They are valid from shortly before
// `now` (a tenth of the lifetime, at most an hour), for clocks that run slow, until `now` +
// `lifetime`. Malformed: OpenSSL fails; the error never contains a key.

// A self-signed authority, which may sign servers but no other authorities.
[[nodiscard]] Result<Pem> make_authority(std::chrono::system_clock::time_point now,
                                         std::chrono::seconds lifetime);

// A TLS server certificate for `dns_name`. It expires no later than its authority.
[[nodiscard]] Result<Pem> make_server(const Pem& authority, const std::string& dns_name,
                                      std::chrono::system_clock::time_point now,
                                      std::chrono::seconds lifetime);

// Makes every connection of a server present a self-signed certificate for `dns_name`, whose new
// key exists only in `context`. For encryption only: clients cannot verify it. False if OpenSSL
// fails.
bool use_self_signed(ssl_ctx_st& context, const std::string& dns_name,
                     std::chrono::system_clock::time_point now, std::chrono::seconds lifetime);

}  // namespace mc::certs
