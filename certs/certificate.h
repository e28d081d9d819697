#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct x509_st;  // OpenSSL's X509

namespace mc::certs {

// A certificate's times, with cert-manager's names (status of a Certificate).
struct CertificateTimes {
  using TimePoint = std::chrono::system_clock::time_point;
  TimePoint not_before, not_after;
  std::optional<TimePoint> renewal;  // when it is due to be replaced, if we replace it
};

// One X.509 certificate. Immutable; copies share it.
class Certificate {
 public:
  // The certificates of a PEM text, in order. Damaged ones are skipped.
  static std::vector<Certificate> parse(const std::string& pem);

  std::string pem() const;
  std::chrono::system_clock::time_point not_before() const;
  std::chrono::system_clock::time_point not_after() const;
  // Both ends are included (RFC 5280, 4.1.2.5).
  bool valid_at(std::chrono::system_clock::time_point now) const {
    return not_before() <= now && now <= not_after();
  }
  // Time to renew it: after two thirds of its life.
  std::chrono::system_clock::time_point renewal() const {
    // In milliseconds, because a life of centuries may have too many nanoseconds.
    using std::chrono::milliseconds;
    const auto begin = std::chrono::ceil<milliseconds>(not_before());
    return begin + (std::chrono::floor<milliseconds>(not_after()) - begin) / 3 * 2;
  }

  bool is_authority() const;                           // may sign certificates
  bool signed_by(const Certificate& authority) const;  // checks name, key ID and signature
  bool has_key(const std::string& key_pem) const;      // whether this PEM text is its private key
  bool serves(const std::string& dns_name) const;      // a TLS server of that name may present it
  bool operator==(const Certificate& other) const;     // byte by byte

 private:
  explicit Certificate(std::shared_ptr<x509_st> x509) : x509_(std::move(x509)) {}
  std::shared_ptr<x509_st> x509_;
};

}  // namespace mc::certs
