#include "common/base/digest.h"

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace mc {

std::string fnv1a_hex(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::array<char, 17> out{};
  std::snprintf(out.data(), out.size(), "%016" PRIx64, hash);
  return out.data();
}

}  // namespace mc
