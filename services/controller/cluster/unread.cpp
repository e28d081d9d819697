#include "services/controller/cluster/unread.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mc::controller {
namespace {

constexpr const char* kContainers[] = {"initContainers", "containers", "ephemeralContainers"};
constexpr const char* kStatuses[] = {"initContainerStatuses", "containerStatuses"};

// Of a pod's spec, of each of its containers, and of each container's status.
constexpr const char* kUnreadOfSpec[] = {
    "affinity",      "dnsConfig", "hostAliases",    "imagePullSecrets",          "nodeSelector",
    "tolerations",   "volumes",   "readinessGates", "topologySpreadConstraints", "securityContext",
    "resourceClaims"};
constexpr const char* kUnreadOfContainer[] = {
    "args",          "command",        "env",         "envFrom",         "lifecycle",
    "livenessProbe", "readinessProbe", "ports",       "securityContext", "startupProbe",
    "volumeDevices", "volumeMounts",   "resizePolicy"};
constexpr const char* kUnreadOfStatus[] = {"allocatedResources", "allocatedResourcesStatus",
                                           "resources", "user", "volumeMounts"};

void add_all(std::vector<std::string>& to, std::string_view at,
             std::span<const char* const> names) {
  for (const char* name : names) to.push_back(std::string(at) + "." + name);
}

// Adds those of a pod's spec, which is at this path.
void add_unread_of_spec(std::vector<std::string>& to, const std::string& spec) {
  add_all(to, spec, kUnreadOfSpec);
  for (const char* containers : kContainers) {
    add_all(to, spec + "." + containers, kUnreadOfContainer);
  }
}

}  // namespace

Unread unread_of_pod() {
  std::vector<std::string> paths = {"status.ephemeralContainerStatuses", "status.hostIPs",
                                    "status.podIPs", "status.resourceClaimStatuses"};
  add_unread_of_spec(paths, "spec");
  for (const char* statuses : kStatuses) {
    add_all(paths, std::string("status.") + statuses, kUnreadOfStatus);
  }
  return unread(paths);
}

Unread unread_of_job() {
  std::vector<std::string> paths = {"spec.selector", "spec.template.metadata"};
  add_unread_of_spec(paths, "spec.template.spec");
  return unread(paths);
}

}  // namespace mc::controller
