#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace mc::test {

// The release and the namespace that the tests give it.
inline constexpr const char* kRelease = "minicluster-operator";
inline constexpr const char* kReleaseNamespace = "minicluster-system";

// The folder of the chart.
std::filesystem::path chart();

// Both are in use: 3 merges as a client, 4 applies on the server.
enum class Helm { k3, k4 };

// Runs Helm, built by tests/control_plane, on the control plane of tests/run.sh, in the release's
// namespace; nothing of the user's is seen or written.
Outcome helm(const std::vector<std::string>& arguments, Helm version = Helm::k3);

// The same; anything but exit code 0 is a failure of the test, and said.
std::string must_helm(const std::vector<std::string>& arguments, Helm version = Helm::k3);

}  // namespace mc::test
