#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "common/base/result.h"

struct ssl_st;  // OpenSSL's SSL

namespace mc::certs {

// What a TLS server shows: a certificate with those that lead to its authority, and its private
// key. A value that never changes; copies share it.
class KeyPair {
 public:
  // From PEM files, the server's own certificate first. The error names the file that is at fault
  // and why: not readable, no certificate, no key (encrypted ones cannot be read), a key of another
  // certificate, a pair that TLS may not use, as with too short a key. An expired pair is no error;
  // see expired().
  [[nodiscard]] static Result<KeyPair> load(const std::filesystem::path& certificate_file,
                                            const std::filesystem::path& key_file);

  std::chrono::system_clock::time_point not_before() const;
  std::chrono::system_clock::time_point not_after() const;
  bool expired(std::chrono::system_clock::time_point now) const { return now > not_after(); }

  // The same certificates and the same key.
  bool operator==(const KeyPair& other) const;

  // Makes one connection show this pair; false when OpenSSL refuses.
  bool apply(ssl_st& connection) const;

 private:
  struct Parts;
  explicit KeyPair(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace mc::certs
