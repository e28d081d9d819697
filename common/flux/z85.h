#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Z85 encoding (ZMQ RFC 32) of a key: 32 bytes are 40 printable characters.
namespace mc::flux {

inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kKeyCharacters = 40;
using KeyBytes = std::array<unsigned char, kKeyBytes>;

std::string z85_encode(const KeyBytes& bytes);

// nullopt if `text` is not 40 characters of Z85, or a group of five exceeds 32 bits.
std::optional<KeyBytes> z85_decode(std::string_view text);

}  // namespace mc::flux
