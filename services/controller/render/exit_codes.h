#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace mc::render {

// Codes of the container that runs Flux which are not the command's own (wait.sh,
// docs/migrating.md), and 137, what the kernel or the kubelet leave of a container they killed. The
// Job tries these again; any other code is the command's and final.
inline constexpr std::array<std::int64_t, 8> kRetriedCodes = {137, 240, 241, 242,
                                                              243, 244, 245, 249};

inline bool is_retried(std::int64_t code) {
  return std::ranges::find(kRetriedCodes, code) != kRetriedCodes.end();
}

}  // namespace mc::render
