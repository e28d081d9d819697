#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace mc::render {

// A code with which our entry points end the container that runs Flux, where it is not the
// command's own. The scripts know it as $mc_exit_NAME (settings.h); docs/pods.md documents it for
// users.
struct ExitCode {
  std::string_view name;
  std::int64_t code;
};
inline constexpr std::array<ExitCode, 10> kExitCodes = {{
    {"no_configuration", 240},  // the init container could not write it
    {"no_flux", 241},
    {"no_certificate", 242},
    {"no_resources", 243},  // flux R encode failed
    {"no_bash", 244},       // which a batch job needs
    {"no_output_dir", 245},
    {"follower_lost", 246},
    {"broker_ended", 247},  // before the command
    {"reserved", 248},      // the command itself ended with a reserved code; the log has it
    {"signalled", 249},
}};

// What the kernel or the kubelet leave of a container that they killed.
inline constexpr std::int64_t kKilled = 137;

// The command or a snippet ended with a code that is reserved: final, and the true code is in the
// last lines of the log.
inline constexpr std::int64_t kReservedCodeTold = kExitCodes[8].code;

// Codes that are not the command's own, in ascending order: of these the Job tries all but
// kReservedCodeTold again. Any other code is final.
inline constexpr auto kRetriedCodes = [] {
  std::array<std::int64_t, kExitCodes.size()> out{kKilled};
  auto next = out.begin() + 1;
  for (const ExitCode& each : kExitCodes) {
    if (each.code != kReservedCodeTold) *next++ = each.code;
  }
  return out;
}();

inline bool is_retried(std::int64_t code) {
  return std::ranges::find(kRetriedCodes, code) != kRetriedCodes.end();
}

}  // namespace mc::render
