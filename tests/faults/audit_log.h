#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace mc::test {

// What the API server's audit log (tests/control_plane) says against the replicas that wrote in a
// namespace, a sentence each; nothing where all is well:
// - a write that the API server received from one replica when another had the Lease;
// - an object that was created again though no replica had deleted it, or a Job created twice.
std::vector<std::string> blame(const std::filesystem::path& log, const std::string& space);

}  // namespace mc::test
