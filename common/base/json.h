#pragma once
#include <nlohmann/json.hpp>

namespace mc {

// Kubernetes objects other than our own stay JSON. Keys are sorted, so dumps are deterministic.
using json = nlohmann::json;

// How deeply what strangers send may be nested: whatever walks a JSON value calls itself once per
// level, and a thread's stack ends. The API server lets 10,000 levels through where a MiniCluster
// holds a type of Kubernetes' own; no field of these is below some twenty.
inline constexpr int kMaxJsonLevels = 500;

}  // namespace mc
