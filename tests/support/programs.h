#pragma once
#include <string>

namespace mc::test {

// The path of a program of tests/control_plane/build.sh, which builds it if it is missing.
std::string built_program(const std::string& name);

}  // namespace mc::test
