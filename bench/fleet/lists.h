#pragma once
#include <chrono>

#include "common/kube/transport.h"

namespace mc::bench {

// How long a client needs to receive what the controller lists when it starts: the same lists in
// the same pages, at the same time, each on a connection of its own. It reads only where the next
// page begins.
std::chrono::duration<double> lists_alone(kube::Transport& transport);

}  // namespace mc::bench
