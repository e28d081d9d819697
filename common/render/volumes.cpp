#include "common/render/volumes.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/text.h"
#include "common/render/entrypoint.h"
#include "common/render/job.h"
#include "common/render/metadata.h"
#include "common/render/secret.h"

namespace mc::render {
namespace {

using Volumes = std::map<std::string, json>;

json key_to_path(const api::StringMap& items) {
  json out = json::array();
  for (const auto& [key, path] : items) out.push_back({{"key", key}, {"path", path}});
  return out;
}

json empty_dir(const api::Volume& volume) {
  const std::string& medium = volume.empty_dir_medium;
  json out = json::object();
  set_unless_empty(out, "medium", lower_case(medium) == "memory" ? "Memory" : medium);
  set_unless_empty(out, "sizeLimit", volume.empty_dir_size_limit);
  return {{"emptyDir", std::move(out)}};
}

// Whether the path may be that of a device, a socket or a file: below /dev or /etc, or with a dot
// in its last name. Of any other the kubelet checks that it is a directory, as a runtime makes one
// for a path with a typo.
bool may_be_file(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.starts_with("/dev/") || path.starts_with("/etc/") ||
         path.substr(path.rfind('/') + 1).contains('.');
}

// `read_only`: no container writes to it. Then claims and CSI volumes are attached read-only: a
// disk that many nodes read at once can be attached in no other way.
json source(const api::Volume& volume, bool read_only) {
  if (!volume.host_path.empty()) {
    json path = {{"path", volume.host_path}};
    if (!may_be_file(volume.host_path)) path["type"] = "Directory";
    return {{"hostPath", std::move(path)}};
  }
  if (!volume.claim_name.empty()) {
    json claim = {{"claimName", volume.claim_name}};
    if (read_only) claim["readOnly"] = true;
    return {{"persistentVolumeClaim", std::move(claim)}};
  }
  if (!volume.secret_name.empty()) {
    json secret = {{"secretName", volume.secret_name}};
    set_unless_empty(secret, "items", key_to_path(volume.items));
    return {{"secret", std::move(secret)}};
  }
  if (!volume.config_map_name.empty()) {
    json config_map = {{"name", volume.config_map_name}};
    set_unless_empty(config_map, "items", key_to_path(volume.items));
    return {{"configMap", std::move(config_map)}};
  }
  if (!volume.csi_driver.empty()) {
    json csi = {{"driver", volume.csi_driver}};
    if (read_only) csi["readOnly"] = true;
    set_unless_empty(csi, "volumeAttributes", volume.csi_driver_attributes);
    return {{"csi", std::move(csi)}};
  }
  return empty_dir(volume);
}

// The ConfigMap's files, as a volume's source.
json entrypoint_source(const api::MiniCluster& cluster) {
  json items = json::array();
  for (const EntrypointFile& file : entrypoint_files(cluster)) {
    items.push_back(
        {{"key", file.key}, {"path", file.path}, {"mode", file.executable ? 0555 : 0444}});
  }
  return {{"name", config_map_name(cluster)}, {"items", std::move(items)}};
}

// The number of admitted pods, which the controller writes on the pod; empty until then.
json admitted_file() {
  const std::string annotation(api::kAdmittedAnnotation);
  const json field = {{"fieldPath", "metadata.annotations['" + annotation + "']"}};
  return {{"items",
           json::array({{{"path", api::kAdmittedFile}, {"fieldRef", field}, {"mode", 0444}}})}};
}

// The runner's /flux_operator: the ConfigMap's `files` and the certificate. Its mode lets any user
// read the certificate, because the owner is root whatever user the container has. Only the runner
// has the mount, and Flux uses only the private copy that broker.sh makes.
json runner_source(const api::MiniCluster& cluster, const json& files) {
  const json certificate = {{"key", "curve.cert"}, {"path", "curve.cert"}, {"mode", 0444}};
  const json secret = {{"name", certificate_secret(cluster)},
                       {"items", json::array({certificate})}};
  json sources = json::array({{{"configMap", files}}, {{"secret", secret}}});
  if (has_partial_admission(cluster)) sources.push_back({{"downwardAPI", admitted_file()}});
  return {{"projected", {{"sources", std::move(sources)}}}};
}

Volumes our_volumes(const api::MiniCluster& cluster) {
  const api::Flux& flux = cluster.spec.flux;
  json files = entrypoint_source(cluster);
  Volumes out;
  out[std::string(api::kViewVolume)] = {{"emptyDir", json::object()}};
  out[std::string(api::kHomeVolume)] = {{"emptyDir", json::object()}};
  out[std::string(api::kCurveVolume)] = {{"emptyDir", {{"medium", "Memory"}}}};
  out[std::string(api::kRunnerVolume)] = runner_source(cluster, files);
  const bool has_view = !flux.container.disable;
  const bool only_the_runner = !has_view && cluster.spec.containers.size() < 2;
  if (!only_the_runner) out[entrypoint_volume(cluster)] = {{"configMap", std::move(files)}};
  if (has_view) out[std::string(api::kSoftwareVolume)] = {{"emptyDir", json::object()}};
  if (!flux.munge_secret.empty())
    out[std::string(api::kMungeVolume)] = {{"secret", {{"secretName", flux.munge_secret}}}};
  return out;
}

// The names of the volumes that a container may write to.
std::set<std::string> written_volumes(const std::vector<api::Container>& containers) {
  std::set<std::string> out;
  for (const api::Container& container : containers) {
    for (const auto& [name, volume] : container.volumes) {
      if (!volume.read_only) out.insert(name);
    }
  }
  return out;
}

// A second volume of the same name (which validation refuses) is ignored.
void add_volumes(const std::vector<api::Container>& containers, Volumes& volumes) {
  const std::set<std::string> written = written_volumes(containers);
  for (const api::Container& container : containers) {
    for (const auto& [name, volume] : container.volumes) {
      volumes.emplace(name, source(volume, !written.contains(name)));
    }
  }
}

json as_list(Volumes volumes) {
  json out = json::array();
  for (auto& [name, volume] : volumes) {
    volume["name"] = name;
    out.push_back(std::move(volume));
  }
  return out;
}

json mount(std::string_view name, std::string_view path, bool read_only = false) {
  json out = {{"name", name}, {"mountPath", path}};
  if (read_only) out["readOnly"] = true;
  return out;
}

std::string mount_path(const api::MiniCluster& cluster) {
  return cluster.spec.flux.container.mount_path;
}

}  // namespace

json job_volumes(const api::MiniCluster& cluster) {
  Volumes volumes = our_volumes(cluster);
  add_volumes(cluster.spec.containers, volumes);
  return as_list(std::move(volumes));
}

json services_volumes(const api::MiniCluster& cluster) {
  Volumes volumes;
  add_volumes(cluster.spec.services, volumes);
  return as_list(std::move(volumes));
}

json own_mounts(const api::Container& container) {
  json out = json::array();
  for (const auto& [name, volume] : container.volumes) {
    const bool shared_memory =
        volume.path.empty() && source(volume, volume.read_only).contains("emptyDir");
    out.push_back(mount(name, shared_memory ? "/dev/shm" : volume.path, volume.read_only));
  }
  return out;
}

json job_mounts(const api::MiniCluster& cluster, std::size_t index) {
  const bool runner = role(cluster, index) == Role::Runner;
  const api::Flux& flux = cluster.spec.flux;
  json out = json::array();
  out.push_back(mount(api::kHomeVolume, api::kHomePath));
  out.push_back(mount(api::kViewVolume, mount_path(cluster)));
  if (!flux.container.disable) out.push_back(mount(api::kSoftwareVolume, api::kSoftwarePath));
  if (runner) {
    // In memory, and only for the runner: the broker's private copy of the certificate.
    out.push_back(mount(api::kCurveVolume, curve_path(cluster)));
    out.push_back(mount(api::kRunnerVolume, api::kEntrypointPath, true));
    if (!flux.munge_secret.empty()) out.push_back(mount(api::kMungeVolume, api::kMungePath, true));
  } else {
    out.push_back(mount(entrypoint_volume(cluster), api::kEntrypointPath, true));
  }
  for (json& own : own_mounts(cluster.spec.containers.at(index))) out.push_back(std::move(own));
  return out;
}

json init_mounts(const api::MiniCluster& cluster) {
  json out = json::array();
  out.push_back(mount(entrypoint_volume(cluster), api::kEntrypointPath, true));
  out.push_back(mount(api::kHomeVolume, api::kHomePath));
  out.push_back(mount(api::kViewVolume, mount_path(cluster)));
  // Copied once, to the volume that the other containers mount at /opt/software.
  out.push_back(mount(api::kSoftwareVolume, mount_path(cluster) + "/software"));
  return out;
}

}  // namespace mc::render
