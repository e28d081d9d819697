#pragma once
#include <chrono>
#include <string>

namespace mc {

// UTC to the second, as Kubernetes' metav1.Time: 2026-01-31T08:00:00Z.
std::string rfc3339(std::chrono::system_clock::time_point time);

}  // namespace mc
