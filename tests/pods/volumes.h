#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "common/base/json.h"

namespace mc::pods {

// The sources of volumes, by name.
struct Sources {
  std::map<std::string, std::map<std::string, std::string>> config_maps, secrets;
  std::map<std::string, std::filesystem::path> claims, host_paths;
};

// Creates the folder of each volume of a pod below `folder`, as a kubelet does; returns them by
// name. Files of ConfigMaps and Secrets are behind symlinks and owned by root, with the modes of
// their items; with fsGroup, that group may read them, and write into an emptyDir. If a source is
// missing, for which a pod would wait, throws std::runtime_error that names it.
std::map<std::string, std::filesystem::path> make_volumes(const json& pod_spec,
                                                          const Sources& sources,
                                                          const std::filesystem::path& folder);

// Whether no container can write to the volume, whatever its mount says.
bool is_read_only(const json& volume);

}  // namespace mc::pods
