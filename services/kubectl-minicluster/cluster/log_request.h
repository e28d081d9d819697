#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/kube/request.h"

namespace mc::kubectl {

// The log of a container, or a part of it.
struct PodLog {
  std::string ns, pod, container;
  bool follow = false;    // until the container ends
  bool previous = false;  // of the container's run before it was restarted in the pod
  std::optional<std::int64_t> tail = {};  // the last lines only
  std::string since = {};                 // RFC 3339; from this second on
};

// Reads it; each line begins with its time.
kube::Request pod_log_request(const PodLog& log);

}  // namespace mc::kubectl
