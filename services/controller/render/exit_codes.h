#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace mc::render {

// Codes of the container that runs Flux which are not the command's own (wait.sh, docs/pods.md),
// and 137, what the kernel or the kubelet leave of a container they killed. The Job tries these
// again; any other code is the command's or a snippet's and final.
inline constexpr std::array<std::int64_t, 10> kRetriedCodes = {137, 240, 241, 242, 243,
                                                               244, 245, 246, 247, 249};

// What the container ends with where the command or a snippet itself ended with a code that is
// reserved (137, or 240 to 249): final, and the true code is in the last lines of the log.
inline constexpr std::int64_t kReservedCodeTold = 248;

inline bool is_retried(std::int64_t code) {
  return std::ranges::find(kRetriedCodes, code) != kRetriedCodes.end();
}

}  // namespace mc::render
