#pragma once
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "common/base/result.h"
#include "common/kube/client.h"

namespace mc::controller {

// The end of a Job that the controller did not see go, from the event that the Job controller sent
// at that end (Kubernetes keeps events for an hour by default). Without an event: Failed, with the
// reason JobLost. Nothing if the API server still has the Job, which only the caches lack.
// `uid`: that of the Job.
[[nodiscard]] Result<std::optional<api::Condition>> end_of_lost_job(const kube::Client& client,
                                                                    const api::MiniCluster& cluster,
                                                                    const std::string& uid);

}  // namespace mc::controller
