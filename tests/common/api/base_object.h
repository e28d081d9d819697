#pragma once
#include "common/base/json.h"

namespace mc::test {

// The smallest valid MiniCluster.
inline json base_object() {
  return json::parse(R"({
    "apiVersion": "flux-framework.org/v1alpha2",
    "kind": "MiniCluster",
    "metadata": {"name": "sample", "namespace": "default"},
    "spec": {"size": 2, "containers": [{"image": "ubuntu:noble", "command": "hostname"}]}
  })");
}

// base_object() with an RFC 7386 merge patch.
inline json with_patch(const char* patch) {
  json object = base_object();
  object.merge_patch(json::parse(patch));
  return object;
}

}  // namespace mc::test
