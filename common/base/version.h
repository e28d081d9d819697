#pragma once
#include <string>

namespace mc {

// The version of both services, such as "0.1.0", from CMakeLists.txt (docs/versioning.md).
std::string version();

}  // namespace mc
