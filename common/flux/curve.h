#pragma once
#include <string>
#include <string_view>

#include "common/base/result.h"

// The certificate that lets brokers trust each other: a CURVE key pair (ZMQ RFC 26) in the file
// form that Flux reads as curve.cert.
namespace mc::flux {

// Both keys in Z85 (ZMQ RFC 32), 40 characters each. `secret_key` is never logged.
struct CurveKeys {
  std::string public_key;
  std::string secret_key;
  bool operator==(const CurveKeys&) const = default;
};

// A fresh random pair.
CurveKeys generate_curve_keys();

// The text of curve.cert. `name` only describes it; what Flux does not take in a name becomes a
// dash, and what is too long for its reader is cut off.
std::string curve_certificate(const CurveKeys& keys, std::string_view name);

// The keys of a certificate that Flux would read; every rule of its reader is applied, and that the
// keys belong together. An error says line and reason and never shows any of the text.
[[nodiscard]] Result<CurveKeys> parse_curve_certificate(std::string_view text);

}  // namespace mc::flux
