#include "common/render/pod_disruption_budget.h"

#include "common/api/model/names.h"
#include "common/render/metadata.h"
#include "common/render/quorum.h"

namespace mc::render {

json pod_disruption_budget(const api::MiniCluster& cluster, std::int64_t min_available) {
  if (!cluster.spec.pod_disruption_budget) return nullptr;
  return {{"apiVersion", "policy/v1"},
          {"kind", "PodDisruptionBudget"},
          {"metadata", metadata(cluster, api::job_name(cluster), api::object_labels(cluster))},
          {"spec",
           {{"minAvailable", min_available},
            {"selector", {{"matchLabels", job_selector(cluster)}}},
            {"unhealthyPodEvictionPolicy", "AlwaysAllow"}}}};
}

json pod_disruption_budget(const api::MiniCluster& cluster) {
  return pod_disruption_budget(cluster, needed_brokers(cluster));
}

}  // namespace mc::render
