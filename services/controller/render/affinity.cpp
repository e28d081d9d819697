#include "services/controller/render/affinity.h"

#include <string>

namespace mc::render {
namespace {

json same_cluster(const api::MiniCluster& cluster, const char* topology_key) {
  const json expression = {{"key", "app.kubernetes.io/name"},
                           {"operator", "In"},
                           {"values", json::array({cluster.name})}};
  const json term = {{"labelSelector", {{"matchExpressions", json::array({expression})}}},
                     {"topologyKey", topology_key}};
  const json weighted = {{"weight", 100}, {"podAffinityTerm", term}};
  return {{"preferredDuringSchedulingIgnoredDuringExecution", json::array({weighted})}};
}

// Each label of spec.pod.nodeAffinity must have one of its values.
void add_node_affinity(const api::MiniCluster& cluster, json& out) {
  const json& values_by_label = cluster.spec.pod.node_affinity;
  if (!values_by_label.is_object() || values_by_label.empty()) return;
  json expressions = json::array();
  for (const auto& [label, values] : values_by_label.items()) {
    expressions.push_back({{"key", label}, {"operator", "In"}, {"values", values}});
  }
  const json term = {{"matchExpressions", std::move(expressions)}};
  out["nodeAffinity"] = {{"requiredDuringSchedulingIgnoredDuringExecution",
                          {{"nodeSelectorTerms", json::array({term})}}}};
}

}  // namespace

json affinity(const api::MiniCluster& cluster) {
  json out = json::object();
  if (!cluster.spec.network.disable_affinity) {
    out["podAffinity"] = same_cluster(cluster, "topology.kubernetes.io/zone");
    out["podAntiAffinity"] = same_cluster(cluster, "kubernetes.io/hostname");
  }
  add_node_affinity(cluster, out);
  return out;
}

json services_affinity(const api::MiniCluster& cluster) {
  json out = json::object();
  add_node_affinity(cluster, out);
  return out;
}

}  // namespace mc::render
