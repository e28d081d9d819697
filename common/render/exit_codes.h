#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace mc::render {

// An exit code of our entry points in the container that runs Flux, where it is not the command's.
// The scripts know it as $mc_exit_NAME (settings.sh); docs/pods.md documents it for users.
struct ExitCode {
  std::string_view name;
  std::int64_t code;
};
inline constexpr std::array<ExitCode, 11> kExitCodes = {{
    {"no_configuration", 240},  // the init container could not write it
    {"no_flux", 241},
    {"no_certificate", 242},
    {"no_resources", 243},  // flux R encode failed
    {"no_bash", 244},       // a batch job needs bash
    {"no_output_dir", 245},
    {"follower_lost", 246},
    {"broker_ended", 247},  // before the command
    {"reserved", 248},      // the command itself ended with a reserved code, see the log
    {"signalled", 249},
    {"in_place", 250},  // the kubelet restarts the pod (spec.restartStrategy InPlace)
}};

consteval std::int64_t exit_code_of(std::string_view name) {
  return std::ranges::find(kExitCodes, name, &ExitCode::name)->code;
}

// The exit code of a container that the kernel or the kubelet killed.
inline constexpr std::int64_t kKilled = 137;

// The command or a snippet ended with a reserved code: final. The last lines of the log have the
// actual code.
inline constexpr std::int64_t kReservedExitCode = exit_code_of("reserved");

// The reserved codes after which the Job retries, in ascending order: all but kReservedExitCode.
// Any other code is final.
inline constexpr auto kRetriedCodes = [] {
  std::array<std::int64_t, kExitCodes.size()> out{kKilled};
  auto next = out.begin() + 1;
  for (const ExitCode& each : kExitCodes) {
    if (each.code != kReservedExitCode) *next++ = each.code;
  }
  return out;
}();

inline bool is_retried(std::int64_t code) {
  return std::ranges::find(kRetriedCodes, code) != kRetriedCodes.end();
}

}  // namespace mc::render
