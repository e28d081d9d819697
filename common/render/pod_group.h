#pragma once
#include <cstdint>
#include <string_view>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// The PodGroup that the Job's pods are in, of the kind and version cluster.pod_group; null without
// one. The scheduler places at least min_count of the pods together, or none (KEP-4671; the APIs of
// scheduler-plugins and Volcano).
json pod_group(const api::MiniCluster& cluster, std::int64_t min_count);

// With as many pods as the command needs.
json pod_group(const api::MiniCluster& cluster);

// The same without its spec: what can differ in one that exists, beside the count.
json pod_group_outline(const api::MiniCluster& cluster);

// Whether the user has put the pods into a PodGroup of their own.
bool has_own_pod_group(const api::MiniCluster& cluster);

// Puts the pods of this template into the PodGroup. Without a schedulerName they get that of the
// kind.
void join_pod_group(const api::MiniCluster& cluster, json& pod);

// Whether PodGroups of that apiVersion may have another minimum after their creation. If not, the
// API server also refuses another parallelism of a Job in one (Kubernetes 1.36).
bool is_resizable(std::string_view api_version);

}  // namespace mc::render
