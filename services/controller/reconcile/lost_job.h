#pragma once
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "common/base/result.h"
#include "common/kube/client.h"

namespace mc::controller {

// The end of a Job that was deleted while nobody saw it, by the event with which the Job controller
// reported it (Kubernetes keeps events for an hour by default); Failed with the reason JobLost if
// there is none. Nothing if it still exists, and only the caches lack it. `uid`: of that Job.
[[nodiscard]] Result<std::optional<api::Condition>> end_of_lost_job(const kube::Client& client,
                                                                    const api::MiniCluster& cluster,
                                                                    const std::string& uid);

}  // namespace mc::controller
