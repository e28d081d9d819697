#pragma once
#include <nlohmann/json.hpp>

namespace mc {

// Kubernetes objects other than our own stay JSON. Keys are sorted, so dumps are deterministic.
using json = nlohmann::json;

// The limit on the nesting of untrusted JSON: code that walks a value recurses once per level, and
// a thread's stack is limited. The API server accepts 10,000 levels in a MiniCluster's fields of
// Kubernetes types; no known field is deeper than about twenty.
inline constexpr int kMaxJsonLevels = 500;

}  // namespace mc
