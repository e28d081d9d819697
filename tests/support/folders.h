#pragma once
#include <filesystem>

namespace mc::test {

// The top of the repository, and of the build that this program is of. Both are compiled into one
// file only: as definitions of every test they would make each clone compile all of them anew.
std::filesystem::path source_dir();
std::filesystem::path build_dir();

}  // namespace mc::test
