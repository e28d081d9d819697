#include "common/api/model/names.h"

#include <algorithm>

namespace mc::api {
namespace {

std::string fitted(const std::string& name, const std::string& suffix) {
  return name.substr(0, kMaxLabel - suffix.size()) + suffix;
}

}  // namespace

bool is_api_kind(std::string_view kind) {
  return std::ranges::find(kApiKinds, kind) != kApiKinds.end();
}

std::string name_of(const json& object) {
  const std::string name = text_at(object, {"metadata", "name"});
  return name.empty() ? text_at(object, {"metadata", "generateName"}) : name;
}

std::string short_uid(const MiniCluster& cluster) {
  return cluster.uid.empty() ? "00000000" : cluster.uid.substr(0, 8);
}

std::string config_map_name(const MiniCluster& cluster) {
  return fitted(cluster.name, "-entrypoint-" + short_uid(cluster));
}

std::string curve_secret_name(const MiniCluster& cluster) {
  return fitted(cluster.name, "-curve-" + short_uid(cluster));
}

std::string entrypoint_volume(const MiniCluster& cluster) {
  return fitted(cluster.name, "-entrypoint");
}

std::string headless_name(const MiniCluster& cluster) {
  const std::string& name = cluster.spec.network.headless_name;
  return name.empty() ? cluster.name : name;
}

std::string services_pod_name(const MiniCluster& cluster) { return cluster.name + "-services"; }

std::string job_name(const MiniCluster& cluster) { return cluster.name; }

std::string pod_group_name(const MiniCluster& cluster) { return cluster.name; }

std::string hostname(std::string_view cluster_name, std::int64_t index) {
  return std::string(cluster_name) + "-" + std::to_string(index);
}

bool uses_host_network(const MiniCluster& cluster) {
  return at_path(cluster.spec.pod.template_patch, {"spec", "hostNetwork"}) == true;
}

std::string runner_container_name(const MiniCluster& cluster) { return cluster.name; }

std::string curve_path(const MiniCluster& cluster) {
  const FluxContainer& view = cluster.spec.flux.container;
  return view.mount_path + (view.disable ? "/curve" : "/config/curve");
}

std::vector<std::string> our_mount_paths(const MiniCluster& cluster, const Container& container) {
  const Flux& flux = cluster.spec.flux;
  const std::string& mount = flux.container.mount_path;
  std::vector<std::string> out = {std::string(kHomePath), mount, std::string(kEntrypointPath)};
  if (!flux.container.disable) out.emplace_back(kSoftwarePath);
  if (container.run_flux) {
    out.push_back(curve_path(cluster));
    // Where the brokers read the certificate: a link to the other (broker.sh).
    if (flux.container.disable) out.push_back(mount + "/config/curve");
    if (!flux.munge_secret.empty()) out.emplace_back(kMungePath);
  }
  return out;
}

std::vector<std::string> our_volume_names(const MiniCluster& cluster) {
  const Flux& flux = cluster.spec.flux;
  std::vector<std::string> out = {std::string(kViewVolume), std::string(kHomeVolume),
                                  std::string(kCurveVolume), std::string(kRunnerVolume),
                                  entrypoint_volume(cluster)};
  if (!flux.container.disable) out.emplace_back(kSoftwareVolume);
  if (!flux.munge_secret.empty()) out.emplace_back(kMungeVolume);
  out.emplace_back(kSharedMemoryVolume);
  return out;
}

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

std::string_view without_stderr_label(std::string_view line) {
  return line.starts_with(kStderrLabel) ? line.substr(kStderrLabel.size()) : line;
}

}  // namespace mc::api
