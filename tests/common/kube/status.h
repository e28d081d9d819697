#pragma once
#include "common/base/json.h"

namespace mc::kube {

// What the API server answers to a request that fails.
inline json status(int code, const char* reason, const char* message) {
  return {{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", message}};
}

}  // namespace mc::kube
