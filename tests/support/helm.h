#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/process.h"

namespace mc::test {

// Makes `folder` a chart with this object.
void write_chart(const std::filesystem::path& folder, const json& object);

// The tests' release and its namespace.
inline constexpr const char* kRelease = "minicluster-operator";
inline constexpr const char* kReleaseNamespace = "minicluster-system";

// The folder of the chart.
std::filesystem::path chart();

// Users have both: Helm 3 merges on the client, Helm 4 applies on the server.
enum class Helm { k3, k4 };

// Runs the Helm of tests/control_plane on the control plane of tests/run.sh, in the release's
// namespace. It neither reads nor writes the user's files.
Outcome helm(const std::vector<std::string>& arguments, Helm version = Helm::k3);

// The same, in parallel to the test.
std::unique_ptr<Process> start_helm(const std::vector<std::string>& arguments,
                                    Helm version = Helm::k3);

// helm(). Any exit code except 0 fails the test, with the output.
std::string must_helm(const std::vector<std::string>& arguments, Helm version = Helm::k3);

}  // namespace mc::test
