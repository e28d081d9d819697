#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/json.h"

// How a MiniCluster ended, as the exit code of `run` and `wait` (docs/kubectl-minicluster.md).
namespace mc::kubectl {

inline constexpr int kTimedOut = 124;    // as of timeout(1): its deadline, or that of the verb
inline constexpr int kNoExitCode = 125;  // the MiniCluster failed, but not its command

// Of the command, if it has ended and its code is known.
std::optional<std::int64_t> exit_code_of(const json& minicluster);

struct End {
  int code = 0;
  std::string why;         // why, in a line; "": the command ended with 0
  bool by_command = true;  // the code is the command's
};
// Nothing: it has not ended.
std::optional<End> end_of(const json& minicluster);

// `Reason: message` of a condition.
std::string in_a_line(const json& condition);

}  // namespace mc::kubectl
