#include "common/api/names.h"

namespace mc::api {

std::string short_uid(const MiniCluster& cluster) {
  return cluster.uid.empty() ? "00000000" : cluster.uid.substr(0, 8);
}

std::string config_map_name(const MiniCluster& cluster) {
  return cluster.name + "-entrypoint-" + short_uid(cluster);
}

std::string curve_secret_name(const MiniCluster& cluster) {
  return cluster.name + "-curve-" + short_uid(cluster);
}

std::string headless_name(const MiniCluster& cluster) {
  const std::string& name = cluster.spec.network.headless_name;
  return name.empty() ? cluster.name : name;
}

std::string services_pod_name(const MiniCluster& cluster) { return cluster.name + "-services"; }

std::string job_name(const MiniCluster& cluster) { return cluster.name; }

std::string hostname(std::string_view cluster_name, std::int64_t index) {
  return std::string(cluster_name) + "-" + std::to_string(index);
}

std::string runner_container_name(const MiniCluster& cluster) { return cluster.name; }

StringMap object_labels(const MiniCluster& cluster) {
  return {{std::string(kManagedByLabel), std::string(kManagedByValue)},
          {std::string(kClusterLabel), cluster.name}};
}

StringMap pod_labels(const MiniCluster& cluster) {
  StringMap labels = object_labels(cluster);
  labels["app"] = "flux-operator";
  labels["app.kubernetes.io/name"] = cluster.name;
  labels["hpa-selector"] = cluster.name;
  labels["job-name"] = job_name(cluster);
  labels["namespace"] = cluster.namespace_;
  labels[std::string(kUidLabel)] =
      cluster.uid.empty() ? "00000000-0000-0000-0000-000000000000" : cluster.uid;
  return labels;
}

std::string scale_selector(const MiniCluster& cluster) { return "hpa-selector=" + cluster.name; }

}  // namespace mc::api
