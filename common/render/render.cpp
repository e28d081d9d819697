#include "common/render/render.h"

#include "common/render/entrypoint.h"
#include "common/render/job.h"
#include "common/render/pod.h"
#include "common/render/pod_disruption_budget.h"
#include "common/render/pod_group.h"
#include "common/render/secret.h"
#include "common/render/service.h"

namespace mc::render {

std::vector<json> render(const api::MiniCluster& cluster, std::string certificate) {
  std::vector<json> out;
  out.push_back(config_map(cluster));
  if (makes_secret(cluster)) out.push_back(secret(cluster, std::move(certificate)));
  if (!cluster.spec.network.use_existing_service) out.push_back(headless_service(cluster));
  for (json& service : sidecar_services(cluster)) out.push_back(std::move(service));
  if (json pod = services_pod(cluster); !pod.is_null()) out.push_back(std::move(pod));
  if (json budget = pod_disruption_budget(cluster); !budget.is_null()) {
    out.push_back(std::move(budget));
  }
  if (json group = pod_group(cluster); !group.is_null()) out.push_back(std::move(group));
  out.push_back(job(cluster));
  return out;
}

std::vector<json> outlines(const api::MiniCluster& cluster) {
  std::vector<json> out;
  out.push_back(config_map_outline(cluster));
  if (!cluster.spec.network.use_existing_service) out.push_back(headless_service(cluster));
  for (json& service : sidecar_services(cluster)) out.push_back(std::move(service));
  if (json pod = services_pod_outline(cluster); !pod.is_null()) out.push_back(std::move(pod));
  out.push_back(job_outline(cluster));
  return out;
}

}  // namespace mc::render
