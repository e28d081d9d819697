#pragma once
#include <string>
#include <string_view>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The PodGroup of scheduling.k8s.io that the Job's pods are in, in the version
// cluster.pod_group_version; null without one. kube-scheduler places as many pods as the command
// needs together, or none (KEP-4671).
json pod_group(const api::MiniCluster& cluster);

// "scheduling.k8s.io/v1beta1"
std::string pod_group_api_version(const std::string& version);

// The first version whose PodGroups may have another minCount after their creation.
inline constexpr std::string_view kResizablePodGroup = "v1beta1";

}  // namespace mc::render
