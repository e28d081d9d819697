#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "tests/support/temporary_folder.h"

struct ssl_ctx_st;

namespace mc::certs::testing {

using test::TemporaryFolder;

void write_file(const std::filesystem::path& file, std::string_view text);

struct Pem {
  std::string certificate;
  std::string key;
};

// A certificate for `name` that signs itself. `lifetime` may be negative: it has ended then.
Pem make_pem(const std::string& name, std::chrono::seconds lifetime = std::chrono::hours(1));
// The same with an RSA key of so many bits.
Pem make_rsa_pem(const std::string& name, unsigned bits);

struct Handshake {
  bool ok = false;
  std::string server_name;  // the subject's CN of what the server showed
  int chain_length = 0;     // certificates that the server showed
  std::string protocol;     // as "TLSv1.3"
};

// A TLS handshake in memory: a client against a server whose context `prepare` has set up. With
// `authority` (a CA file) and `host`, the client verifies them.
Handshake handshake(const std::function<bool(ssl_ctx_st&)>& prepare, int client_max_version = 0,
                    const std::filesystem::path& authority = {}, const std::string& host = {});

}  // namespace mc::certs::testing
