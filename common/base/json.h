#pragma once
#include <nlohmann/json.hpp>

namespace mc {

// Kubernetes objects other than our own stay JSON. Keys are sorted, so dumps are deterministic.
using json = nlohmann::json;

}  // namespace mc
