#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

// The certificate with which brokers trust each other: a CURVE key pair (ZMQ RFC 26) in the file
// format of Flux's curve.cert.
namespace mc::flux {

// Both keys in Z85 (ZMQ RFC 32), 40 characters each. `secret_key` is never logged.
struct CurveKeys {
  std::string public_key;
  std::string secret_key;
  bool operator==(const CurveKeys&) const = default;
};

// A new random pair.
CurveKeys generate_curve_keys();

// The text of curve.cert. `name` is only a description; characters that Flux does not allow in it
// become dashes, and a name too long for Flux's reader is cut.
std::string curve_certificate(const CurveKeys& keys, std::string_view name);

// The keys of a certificate. Applies every rule of Flux's reader, and checks that the keys belong
// together. Errors name line and reason and never quote the text.
[[nodiscard]] Result<CurveKeys> parse_curve_certificate(std::string_view text);

// Z85 encoding (ZMQ RFC 32) of a key: 32 bytes are 40 printable characters.
inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kKeyCharacters = 40;
using KeyBytes = std::array<unsigned char, kKeyBytes>;

std::string z85_encode(const KeyBytes& bytes);

// nullopt if `text` is not 40 characters of Z85, or a group of five exceeds 32 bits.
std::optional<KeyBytes> z85_decode(std::string_view text);

}  // namespace mc::flux
