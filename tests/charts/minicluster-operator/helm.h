#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/process.h"

namespace mc::test {

// The release and the namespace that the tests give it.
inline constexpr const char* kRelease = "minicluster-operator";
inline constexpr const char* kReleaseNamespace = "minicluster-system";

// The chart, and the values files beside the tests.
std::filesystem::path chart();
std::vector<std::filesystem::path> values_files();
std::filesystem::path values_file(const std::string& name);

// Both are in use: 3 merges as a client, 4 applies on the server.
enum class Helm { k3, k4 };

// Runs Helm, built by tests/control_plane, on the control plane of tests/run.sh, in the release's
// namespace; nothing of the user's is seen or written.
Outcome helm(const std::vector<std::string>& arguments, Helm version = Helm::k3);

// The same; anything but exit code 0 is a failure of the test, and said.
std::string must_helm(const std::vector<std::string>& arguments, Helm version = Helm::k3);

// What `helm template` renders with these further arguments, without a cluster.
std::vector<json> rendered(const std::vector<std::string>& arguments = {}, Helm version = Helm::k3);

// Those of a kind; one by kind and name, null where there is none.
std::vector<json> of_kind(const std::vector<json>& objects, const std::string& kind);
json named(const std::vector<json>& objects, const std::string& kind, const std::string& name);

// The only container of a Deployment.
json container_of(const json& deployment);

}  // namespace mc::test
