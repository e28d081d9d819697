#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::test {

// What `kubectl get ARGUMENTS -o json` prints, by a request of our own: a story asks thousands of
// times, and to start kubectl costs more than the answer. Null if there is no such object.
// Nothing if the request fails, and for arguments that are left to kubectl. Taken are one kind of
// those that stories read often, a name or none, -l, --field-selector and -A.
std::optional<json> read_objects(const std::filesystem::path& kubeconfig, const std::string& ns,
                                 const std::vector<std::string>& arguments);

}  // namespace mc::test
