#include "common/flux/z85.h"

#include <cstdint>
#include <limits>

namespace mc::flux {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr std::uint32_t kBase = 85;
static_assert(kAlphabet.size() == kBase);
constexpr std::size_t kGroupBytes = 4;
constexpr std::size_t kGroupCharacters = 5;

}  // namespace

std::string z85_encode(const KeyBytes& bytes) {
  std::string text(kKeyCharacters, '\0');
  for (std::size_t group = 0; group < kKeyBytes / kGroupBytes; ++group) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < kGroupBytes; ++i) {
      value = (value << 8) | bytes[group * kGroupBytes + i];
    }
    for (std::size_t i = kGroupCharacters; i > 0; --i) {
      text[group * kGroupCharacters + i - 1] = kAlphabet[value % kBase];
      value /= static_cast<std::uint32_t>(kBase);
    }
  }
  return text;
}

std::optional<KeyBytes> z85_decode(std::string_view text) {
  if (text.size() != kKeyCharacters) return std::nullopt;
  KeyBytes bytes{};
  for (std::size_t group = 0; group < kKeyBytes / kGroupBytes; ++group) {
    std::uint64_t value = 0;
    for (const char c : text.substr(group * kGroupCharacters, kGroupCharacters)) {
      const std::size_t digit = kAlphabet.find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * kBase + digit;
    }
    if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    for (std::size_t i = kGroupBytes; i > 0; --i) {
      bytes[group * kGroupBytes + i - 1] = static_cast<unsigned char>(value & 0xFF);
      value >>= 8;
    }
  }
  return bytes;
}

}  // namespace mc::flux
