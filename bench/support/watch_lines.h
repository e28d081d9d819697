#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "common/kube/request.h"
#include "common/kube/transport.h"

namespace mc::bench {

// Follows the objects of a resource from now on: once the watch begins, a thread of its own, which
// the caller ends, calls `on_line` for each line of it, and at last `on_end` with the reason.
// `ns`: "" for all namespaces. `transport` must outlive it. Throws if the API server cannot be
// asked.
std::jthread watch_lines(kube::Transport& transport, const kube::Resource& resource,
                         const std::string& ns, bool metadata_only,
                         std::function<void(std::string_view line)> on_line,
                         std::function<void(const std::string& why)> on_end);

}  // namespace mc::bench
