#include <algorithm>
#include <map>
#include <tuple>

#include "common/api/model/names.h"
#include "common/api/model/quantity.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

// The limit in the CRD, which bounds the cost of its CEL rules.
constexpr std::size_t kMostVolumes = 64;

std::vector<const char*> sources(const Volume& volume) {
  std::vector<const char*> out;
  if (!volume.claim_name.empty()) out.push_back("claimName");
  if (!volume.config_map_name.empty()) out.push_back("configMapName");
  if (!volume.csi_driver.empty()) out.push_back("csiDriver");
  if (volume.empty_dir) out.push_back("emptyDir");
  if (!volume.host_path.empty()) out.push_back("hostPath");
  if (!volume.secret_name.empty()) out.push_back("secretName");
  return out;
}

// Everything that defines the volume, but not its place in a container.
auto source_of(const Volume& volume) {
  return std::tie(volume.claim_name, volume.config_map_name, volume.items, volume.csi_driver,
                  volume.csi_driver_attributes, volume.empty_dir, volume.empty_dir_medium,
                  volume.empty_dir_size_limit, volume.host_path, volume.secret_name);
}

void validate_source(const Volume& volume, const FieldPath& path, FieldErrors& errors) {
  const std::vector<const char*> given = sources(volume);
  for (std::size_t i = 1; i < given.size(); ++i) {
    errors.push_back(forbidden(path / given[i], "may not specify more than 1 volume type: " +
                                                    std::string(given[0]) + " is given too"));
  }
}

// The name of a CSI driver, in upper or lower case.
void validate_driver(const std::string& driver, const FieldPath& path, FieldErrors& errors) {
  if (driver.size() > kMaxLabel) errors.push_back(too_long(path, kMaxLabel));
  if (const auto wrong = not_dns1123_subdomain(lower_case(driver)); wrong && !driver.empty()) {
    errors.push_back(invalid(path, driver, *wrong));
  }
}

void validate_host_path(const std::string& host_path, const FieldPath& path, FieldErrors& errors) {
  if (host_path.empty()) return;
  if (const auto wrong = not_absolute_path(host_path)) {
    errors.push_back(invalid(path, host_path, *wrong));
  } else if ((host_path + "/").contains("/../")) {
    errors.push_back(invalid(path, host_path, "must not contain '..'"));
  }
}

void validate_references(const Volume& volume, const FieldPath& path, FieldErrors& errors) {
  validate_object_name(volume.claim_name, path / "claimName", errors);
  validate_object_name(volume.config_map_name, path / "configMapName", errors);
  validate_object_name(volume.secret_name, path / "secretName", errors);
  validate_driver(volume.csi_driver, path / "csiDriver", errors);
  validate_host_path(volume.host_path, path / "hostPath", errors);
  if (volume.config_map_name.empty() && volume.secret_name.empty()) return;
  for (const auto& [key, file] : volume.items) {
    const FieldPath entry = (path / "items").key(key);
    if (const auto wrong = not_config_key(key)) errors.push_back(invalid(entry, key, *wrong));
    if (file.empty()) errors.push_back(required(entry, "the name of the file for the key"));
    if (const auto wrong = not_path_within(file)) errors.push_back(invalid(entry, file, *wrong));
  }
}

void validate_path(const Volume& volume, const FieldPath& path, FieldErrors& errors) {
  if (!volume.path.empty()) {
    if (const auto wrong = not_absolute_path(volume.path)) {
      errors.push_back(invalid(path / "path", volume.path, *wrong));
    } else if (volume.path.find(':') != std::string::npos) {
      errors.push_back(invalid(path / "path", volume.path, std::string(kColonInPath)));
    } else if (normal_path(volume.path) == "/") {
      errors.push_back(invalid(path / "path", volume.path, std::string(kRootAsPath)));
    }
  } else if (!volume.empty_dir) {
    const std::vector<const char*> given = sources(volume);
    errors.push_back(required(
        path / "path", given.empty()
                           ? std::string(kNoPath)
                           : "a volume with " + std::string(given[0]) + std::string(kNoPathOf)));
  }
}

void validate_medium(const Volume& volume, const FieldPath& path, FieldErrors& errors) {
  const std::string& medium = volume.empty_dir_medium;
  constexpr std::string_view kPages = "HugePages-";
  if (medium.empty() || lower_case(medium) == "memory" || medium == "HugePages" ||
      (medium.starts_with(kPages) && Quantity::parse(medium.substr(kPages.size())))) {
    return;
  }
  errors.push_back(
      not_supported(path / "emptyDirMedium", medium, {"Memory", "HugePages", "HugePages-<size>"}));
}

void validate_size_limit(const Volume& volume, const FieldPath& path, FieldErrors& errors) {
  const std::string& limit = volume.empty_dir_size_limit;
  if (limit.empty()) return;
  if (const auto wrong = not_quantity(limit)) {
    errors.push_back(invalid(path / "emptyDirSizeLimit", limit, *wrong));
  } else if (Quantity::parse(limit).value_or(Quantity()) < Quantity()) {
    errors.push_back(
        invalid(path / "emptyDirSizeLimit", limit, "must be greater than or equal to 0"));
  }
}

// The names and paths of our volumes, which a user's volume may not take; empty in the services
// pod.
struct Taken {
  std::vector<std::string> names;
  std::vector<std::string> paths;
};

using Sources = std::map<std::string, std::pair<FieldPath, const Volume*>>;

void validate_container_volumes(const Container& container, const FieldPath& field,
                                const Taken& taken, Sources& sources_seen, FieldErrors& errors) {
  std::map<std::string, std::string> mounted;
  for (const std::string& path : taken.paths) {
    mounted[normal_path(path)] = "one of the operator's own volumes";
  }
  if (container.volumes.size() > kMostVolumes) {
    errors.push_back(too_many(field, container.volumes.size(), kMostVolumes));
  }
  for (const auto& [name, volume] : container.volumes) {
    const FieldPath path = field.key(name);
    if (const auto wrong = not_dns1123_label(name)) errors.push_back(invalid(path, name, *wrong));
    if (std::ranges::find(taken.names, name) != taken.names.end()) {
      errors.push_back(duplicate(path, name, "is the name of one of the operator's own volumes"));
    }
    validate_source(volume, path, errors);
    validate_references(volume, path, errors);
    validate_path(volume, path, errors);
    validate_medium(volume, path, errors);
    validate_size_limit(volume, path, errors);
    const std::string at = volume.path.empty() && volume.empty_dir ? "/dev/shm" : volume.path;
    const auto [other, is_free] = mounted.emplace(at.empty() ? at : normal_path(at), path.str());
    if (!is_free && !at.empty()) {
      errors.push_back(duplicate(path / "path", at, std::string(kIsPathOf) + other->second));
    }
    const auto [first, added] = sources_seen.emplace(name, std::pair(path, &volume));
    if (!added && source_of(*first->second.second) != source_of(volume)) {
      errors.push_back(invalid(path, name,
                               "differs from " + first->second.first.str() +
                                   ": volumes with the same name are one volume of the pod"));
    }
  }
}

}  // namespace

void validate_volumes(const MiniCluster& cluster, FieldErrors& errors) {
  const FieldPath spec("spec");
  Sources in_job, in_services;
  const std::vector<std::string> names = our_volume_names(cluster);
  for (std::size_t i = 0; i < cluster.spec.containers.size(); ++i) {
    const Container& container = cluster.spec.containers[i];
    validate_container_volumes(container, (spec / "containers")[i] / "volumes",
                               {names, our_mount_paths(cluster, container)}, in_job, errors);
  }
  for (std::size_t i = 0; i < cluster.spec.services.size(); ++i) {
    validate_container_volumes(cluster.spec.services[i], (spec / "services")[i] / "volumes", {},
                               in_services, errors);
  }
}

}  // namespace mc::api
