#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/controller/cluster/types.h"

namespace mc::controller {

// An event about a change of the status, as `kubectl describe` shows it.
struct StatusEvent {
  bool warning = false;
  std::string reason;
  std::string message;
  std::optional<std::int64_t> exit_code{};  // of the command that has ended
  bool is_one_of_many = false;              // of its reason: each message is an event of its own
};

// The events of the change from one status to the next: at most one for each condition whose status
// or reason changed. Pure.
std::vector<StatusEvent> events(const ClusterStatus& before, const ClusterStatus& after);

}  // namespace mc::controller
