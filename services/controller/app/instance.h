#pragma once
#include <string>

namespace mc::controller {

// The host name, which is the pod's name.
std::string instance();

// instance() with a random suffix, different in every process, also of the same pod.
std::string unique_instance();

}  // namespace mc::controller
