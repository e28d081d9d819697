#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace mc::test {

// The violations by replicas that wrote in a namespace, according to the API server's audit log
// (tests/control_plane), one sentence each:
// - a write from one replica while another replica held the Lease;
// - an object that was created again although no replica had deleted it, or a Job created twice.
std::vector<std::string> blame(const std::filesystem::path& log, const std::string& space);

}  // namespace mc::test
