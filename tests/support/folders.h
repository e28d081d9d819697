#pragma once
#include <filesystem>

namespace mc::test {

// The root of the repository, and of the build of this program. Both paths are compiled into one
// file only: as compile definitions of every test they would make each clone recompile all of them.
std::filesystem::path source_dir();
std::filesystem::path build_dir();

}  // namespace mc::test
