#include "common/render/service.h"

#include <algorithm>

#include "common/api/model/names.h"
#include "common/render/entrypoint.h"
#include "common/render/metadata.h"

namespace mc::render {
namespace {

json service(const api::MiniCluster& cluster, const std::string& name, json spec) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", metadata(cluster, name, api::object_labels(cluster))},
          {"spec", std::move(spec)}};
}

json service_ports(std::vector<std::int64_t> ports) {
  std::ranges::sort(ports);
  const auto repeated = std::ranges::unique(ports);
  ports.erase(repeated.begin(), repeated.end());
  json out = json::array();
  for (const std::int64_t port : ports) {
    out.push_back({{"name", "port-" + std::to_string(port)},
                   {"port", port},
                   {"targetPort", port},
                   {"protocol", "TCP"}});
  }
  return out;
}

}  // namespace

json headless_service(const api::MiniCluster& cluster) {
  json spec = {{"clusterIP", "None"},
               {"publishNotReadyAddresses", true},
               {"selector", pod_selector(cluster)}};
  if (cluster.spec.flux.minimal_service) {
    spec["selector"][api::kJobIndexLabel] = "0";
    spec["ports"] = json::array({{{"name", "flux"},
                                  {"port", api::kBrokerPort},
                                  {"targetPort", api::kBrokerPort},
                                  {"protocol", "TCP"}}});
  }
  return service(cluster, headless_name(cluster), std::move(spec));
}

std::vector<json> sidecar_services(const api::MiniCluster& cluster) {
  std::vector<json> out;
  for (std::size_t i = 0; i < cluster.spec.containers.size(); ++i) {
    const api::Container& container = cluster.spec.containers[i];
    if (container.ports.empty() || role(cluster, i) == Role::Runner) continue;
    out.push_back(
        service(cluster, container_name(cluster, i),
                {{"ports", service_ports(container.ports)}, {"selector", job_selector(cluster)}}));
  }
  return out;
}

}  // namespace mc::render
