#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"

namespace mc::kubectl {

// A container of a pod.
struct Target {
  std::string pod, container;
};

// `Starting (ImagePullFailed: no such image)`: the phase of a MiniCluster, and why it is not Ready.
std::string phase_and_why(const json& minicluster);

// The container that runs Flux in the pod of a rank, to run something in it: it runs now. Otherwise
// the error is a sentence that says why it does not: no such rank, suspended, ended, not started.
[[nodiscard]] Result<Target> running_target(const json& minicluster, const std::vector<json>& pods,
                                            std::int64_t rank);

// The same, to read its log: it has started, and may have ended.
[[nodiscard]] Result<Target> started_target(const json& minicluster, const std::vector<json>& pods,
                                            std::int64_t rank);

}  // namespace mc::kubectl
