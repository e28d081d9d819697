#include "common/base/unique_name.h"

#include <sodium.h>

#include <array>
#include <cstddef>

namespace mc {

std::string unique_name(std::string_view prefix) {
  constexpr std::size_t kBytes = 8;
  std::array<unsigned char, kBytes> random{};
  randombytes_buf(random.data(), random.size());
  std::array<char, 2 * kBytes + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), random.data(), random.size());
  return std::string(prefix) + "_" + hex.data();
}

}  // namespace mc
