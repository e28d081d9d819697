#pragma once
#include <string>

namespace mc {

// Of both services, such as "0.1.0": what CMakeLists.txt says (docs/versioning.md).
std::string version();

}  // namespace mc
