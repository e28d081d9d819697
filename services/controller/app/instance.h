#pragma once
#include <string>

namespace mc::controller {

// The pod's name, which is its host name.
std::string instance();

// The same with something random behind it: no other process has it, not even the next one in this
// pod.
std::string unique_instance();

}  // namespace mc::controller
