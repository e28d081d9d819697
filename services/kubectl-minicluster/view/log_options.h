#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/view/target.h"

namespace mc::kubectl {

// How a log is shown; kubectl's own flags of these names.
struct LogOptions {
  bool follow = false, previous = false, timestamps = false;
  std::optional<std::int64_t> tail;  // the last lines only
};

// kubectl's arguments for the log of a container.
std::vector<std::string> logs_arguments(const Target& target, const LogOptions& options);

}  // namespace mc::kubectl
