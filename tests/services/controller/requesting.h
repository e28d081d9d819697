#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"
#include "tests/support/clusters.h"

namespace mc::controller::test {

// A MiniCluster whose pods request something in each way.
inline api::MiniCluster requesting() {
  api::MiniCluster out = mc::test::cluster();
  out.spec.containers[0].resources = {{"limits", {{"cpu", 2}}}, {"requests", {{"memory", "1Gi"}}}};
  out.spec.flux.container.resources = {{"requests", {{"cpu", 4}}}};
  out.spec.services = {mc::test::sidecar("store", "store:1")};
  out.spec.services[0].resources = {{"requests", {{"cpu", "250m"}}}};
  out.spec.pod.runtime_class_name = "kata";
  out.spec.pod.resources = {{"cpu", "100m"}};
  out.spec.pod.template_patch = json::parse(R"({"spec": {
      "resources": {"limits": {"memory": "2Gi"}},
      "initContainers": [{"name": "side", "image": "side:1", "restartPolicy": "Always",
                          "resources": {"requests": {"cpu": 3}}}]}})");
  return out;
}

}  // namespace mc::controller::test
