#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace mc::render {

// Exit codes of the container that runs Flux that are not the command's own (wait.sh,
// docs/pods.md), and 137, which a container has that the kernel or the kubelet killed. The Job
// retries these; any other code is the command's or a snippet's, and final.
inline constexpr std::array<std::int64_t, 10> kRetriedCodes = {137, 240, 241, 242, 243,
                                                               244, 245, 246, 247, 249};

// The container's exit code if the command or a snippet itself ended with a reserved code (137, or
// 240 to 249): final; the actual code is in the last lines of the log.
inline constexpr std::int64_t kReservedCodeTold = 248;

inline bool is_retried(std::int64_t code) {
  return std::ranges::find(kRetriedCodes, code) != kRetriedCodes.end();
}

}  // namespace mc::render
