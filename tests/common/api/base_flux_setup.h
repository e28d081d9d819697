#pragma once
#include "common/base/json.h"

namespace mc::test {

// A small valid FluxSetup, without a warning.
inline json base_flux_setup() {
  return json::parse(R"({
    "apiVersion": "flux-framework.org/v1alpha2",
    "kind": "FluxSetup",
    "metadata": {"name": "site"},
    "spec": {"hard": {"cpu": 64, "memory": "256Gi"}}
  })");
}

// base_flux_setup() with an RFC 7386 merge patch.
inline json flux_setup_with(const char* patch) {
  json object = base_flux_setup();
  object.merge_patch(json::parse(patch));
  return object;
}

}  // namespace mc::test
