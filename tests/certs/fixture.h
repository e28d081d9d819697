#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "certs/authority.h"
#include "tests/support/temporary_folder.h"

struct ssl_ctx_st;

namespace mc::certs::testing {

using test::TemporaryFolder;

void write_file(const std::filesystem::path& file, std::string_view text);

// A self-signed certificate for `name`, valid from now + `begin` to now + `lifetime`. With a
// negative `lifetime` it has already expired.
Pem make_pem(const std::string& name, std::chrono::seconds lifetime = std::chrono::hours(1),
             std::chrono::seconds begin = -std::chrono::days(1));
// The same with an RSA key of `bits` bits.
Pem make_rsa_pem(const std::string& name, unsigned bits);

// The PEM text of a certificate, with a line that is not base64.
std::string damaged(const std::string& pem);

struct Handshake {
  bool ok = false;
  std::string server_name;  // the subject's CN of the server's certificate
  int chain_length = 0;     // certificates that the server sent
  std::string protocol;     // as "TLSv1.3"
};

// A TLS handshake in memory. `prepare` sets up the server's context. With `authority` (a CA file)
// and `host`, the client verifies both.
Handshake handshake(const std::function<bool(ssl_ctx_st&)>& prepare, int client_max_version = 0,
                    const std::filesystem::path& authority = {}, const std::string& host = {});

}  // namespace mc::certs::testing
