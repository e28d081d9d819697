#include "common/api/validate.h"

namespace mc::api {
namespace {

using Warnings = std::vector<std::string>;

void warn(Warnings& out, const FieldPath& path, std::string_view sentence) {
  out.push_back(path.str() + ": " + std::string(sentence));
}

void warn_sidecar(const Container& container, const FieldPath& path, Warnings& out) {
  if (container.launcher)
    warn(out, path / "launcher", "has no effect: this container does not run Flux");
  if (container.batch) warn(out, path / "batch", "has no effect: this container does not run Flux");
  if (!container.commands.script.empty()) {
    warn(out, path / "commands" / "script", "has no effect: this container does not run Flux");
  }
}

void warn_volumes(const Container& container, const FieldPath& path, Warnings& out) {
  for (const auto& [name, volume] : container.volumes) {
    const FieldPath at = (path / "volumes").key(name);
    const bool takes_items = !volume.config_map_name.empty() || !volume.secret_name.empty();
    if (!volume.items.empty() && !takes_items) {
      warn(out, at / "items", "has no effect: only a ConfigMap or a Secret has items");
    }
    if (!volume.csi_driver_attributes.empty() && volume.csi_driver.empty()) {
      warn(out, at / "csiDriverAttributes", "has no effect without csiDriver");
    }
    if (!volume.empty_dir &&
        (!volume.empty_dir_medium.empty() || !volume.empty_dir_size_limit.empty())) {
      warn(out, at, "emptyDirMedium and emptyDirSizeLimit have no effect without emptyDir");
    }
  }
}

}  // namespace

Warnings warnings(const MiniCluster& cluster) {
  Warnings out;
  const FieldPath spec("spec");
  for (std::size_t i = 0; i < cluster.spec.containers.size(); ++i) {
    const Container& container = cluster.spec.containers[i];
    const FieldPath path = (spec / "containers")[i];
    if (container.run_flux && !container.name.empty() && container.name != cluster.name) {
      warn(out, path / "name",
           "has no effect: the container that runs Flux is named like the MiniCluster");
    }
    if (!container.run_flux) warn_sidecar(container, path, out);
    warn_volumes(container, path, out);
  }
  for (std::size_t i = 0; i < cluster.spec.services.size(); ++i) {
    warn_volumes(cluster.spec.services[i], (spec / "services")[i], out);
  }
  if (!cluster.spec.flux.arch.empty()) {
    warn(out, spec / "flux" / "arch", "has no effect: nothing is downloaded");
  }
  return out;
}

}  // namespace mc::api
