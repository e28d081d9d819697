#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "common/base/result.h"

struct ssl_st;  // OpenSSL's SSL

namespace mc::certs {

// What a TLS server presents: its certificate, the chain to its authority, and its private key.
// Immutable; copies share it.
class KeyPair {
 public:
  // Reads PEM files; the server's own certificate comes first. The error names the file and the
  // reason: unreadable, no certificate, a damaged one, no key (encrypted keys are not supported),
  // the key of another certificate, or a pair that TLS refuses, such as too short a key. An expired
  // pair is not an error; see expired().
  [[nodiscard]] static Result<KeyPair> load(const std::filesystem::path& certificate_file,
                                            const std::filesystem::path& key_file);

  std::chrono::system_clock::time_point not_before() const;
  std::chrono::system_clock::time_point not_after() const;
  // Not yet at not_after() itself (RFC 5280, 4.1.2.5).
  bool expired(std::chrono::system_clock::time_point now) const { return now > not_after(); }

  // The same certificates and the same key.
  bool operator==(const KeyPair& other) const;

  // Makes one connection present this pair. False if OpenSSL fails.
  bool apply(ssl_st& connection) const;

 private:
  struct Parts;
  explicit KeyPair(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace mc::certs
