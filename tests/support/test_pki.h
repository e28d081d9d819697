#pragma once
#include <string>

namespace mc::test {

// Certificates for one test, valid for an hour.
struct Identity {
  std::string certificate_pem;
  std::string key_pem;
};

Identity make_authority(const std::string& common_name);

// `alternative_names` as OpenSSL writes them: "IP:127.0.0.1,DNS:api"; empty for a client.
Identity issue(const Identity& authority, const std::string& common_name,
               const std::string& alternative_names);

}  // namespace mc::test
