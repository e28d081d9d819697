#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "common/base/json.h"

namespace mc::pods {

// What volumes come from, by name.
struct Sources {
  std::map<std::string, std::map<std::string, std::string>> config_maps, secrets;
  std::map<std::string, std::filesystem::path> claims, host_paths;
  std::map<std::string, std::string> annotations;  // of every pod, for the downward API
};

// The folder of each volume of a pod, by name, made below `folder` as a kubelet does: files of
// ConfigMaps and Secrets behind links, root's, with the modes that items say; with fsGroup that
// group may read them, and write into an emptyDir. Throws std::runtime_error, naming what is
// missing, where a pod would wait for it.
std::map<std::string, std::filesystem::path> make_volumes(const json& pod_spec,
                                                          const Sources& sources,
                                                          const std::filesystem::path& folder);

// Those that no container can write to, whatever it asks for.
bool is_read_only(const json& volume);

}  // namespace mc::pods
