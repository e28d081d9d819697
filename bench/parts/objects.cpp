#include "bench/parts/objects.h"

#include <memory>

#include "services/controller/cache/job_pods.h"
#include "services/controller/cluster/read.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::bench {

json minicluster(std::int64_t variables) {
  json out = controller::test::cluster();
  for (std::int64_t i = 0; i < variables; ++i) {
    out["spec"]["containers"][0]["environment"]["VARIABLE_" + std::to_string(i)] = "a value";
  }
  return out;
}

json running_pod(std::int64_t index) {
  const std::string number = std::to_string(index);
  const std::string name = "sample-" + number + "-x7k2p";
  json out = json::parse(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"namespace": "lab", "resourceVersion": "12345",
      "creationTimestamp": "2026-01-01T00:00:00Z",
      "labels": {"app.kubernetes.io/managed-by": "minicluster-operator",
                 "batch.kubernetes.io/job-name": "sample"},
      "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "sample",
                           "uid": "job-uid", "controller": true}]},
    "spec": {"nodeName": "node-1", "restartPolicy": "Never", "containers": [{"name": "sample",
      "image": "ubuntu:noble", "command": ["/bin/sh", "/flux_operator/wait-0.sh"],
      "resources": {"requests": {"cpu": "4"}}}]},
    "status": {"phase": "Running", "podIP": "10.0.0.7", "startTime": "2026-01-01T00:00:01Z",
      "conditions": [{"type": "PodScheduled", "status": "True"},
                     {"type": "Initialized", "status": "True"},
                     {"type": "ContainersReady", "status": "True"},
                     {"type": "Ready", "status": "True"}],
      "containerStatuses": [{"name": "sample", "ready": true, "restartCount": 0,
        "state": {"running": {"startedAt": "2026-01-01T00:00:02Z"}}}]}})");
  out["metadata"]["name"] = name;
  out["metadata"]["uid"] = name;
  out["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] = number;
  return out;
}

controller::Observed running(std::int64_t pods) {
  const json size = {{"spec", {{"size", pods}}}};
  controller::Observed out = controller::test::made(size.dump().c_str());
  const json job = {{"metadata", {{"uid", "job-uid"}}},
                    {"status", {{"active", pods}, {"ready", pods}}}};
  controller::test::patch_job(out, job);
  controller::JobPods all;
  for (std::int64_t i = 0; i < pods; ++i) {
    const kube::Stored<controller::Pod> pod(
        std::make_shared<const controller::Pod>(controller::read_pod(running_pod(i))));
    all.update({pod.key(), {}, pod});
  }
  controller::JobPods::View view = all.of(controller::owner_id("lab", "job-uid"));
  out.pods = std::move(view.read);
  out.counted = view.counted;
  return out;
}

}  // namespace mc::bench
