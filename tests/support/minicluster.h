#pragma once
#include <optional>
#include <string>

#include "common/base/json.h"
#include "tests/support/kubectl.h"

// MiniClusters as users write them and as the API server returns them.
namespace mc::test {

// A MiniCluster of two pods that runs `hostname`, with `spec` merged into its spec (RFC 7386).
json minicluster(const std::string& name, const json& spec = json::object());

// The message of a condition if it has that status, otherwise nothing. Does not wait.
std::optional<std::string> condition(const Kubectl& kubectl, const std::string& name,
                                     const std::string& type, const std::string& status);

}  // namespace mc::test
