#include "services/controller/cache/reduce.h"

#include <gtest/gtest.h>

#include <string>

#include "common/api/model/pod_requests.h"
#include "common/kube/object.h"
#include "common/render/job.h"
#include "common/render/pod.h"
#include "services/controller/quota/demand.h"
#include "tests/support/clusters.h"

namespace mc::controller {
namespace {

TEST(Pod, KeepsOfItsAnnotationsWhatItWasToldOnAdmission) {
  const json pod =
      reduce_pod({{"metadata",
                   {{"name", "sample-0"},
                    {"annotations", {{"flux-framework.org/admitted", "4"}, {"another", "x"}}}}}});
  EXPECT_EQ(pod["metadata"]["annotations"], json({{"flux-framework.org/admitted", "4"}}));
}

TEST(Pod, KeepsTheEndOfWhatAContainerSaidAndWhoEnded) {
  const json pod = reduce_pod(
      {{"metadata", {{"name", "sample-0"}}},
       {"status",
        {{"containerStatuses",
          json::array({{{"name", "sample"},
                        {"state",
                         {{"terminated",
                           {{"exitCode", 3},
                            {"message", std::string(1500, 'x') +
                                            "\nlast\nminicluster: error: pre ended with code "
                                            "3\n"}}}}}}})}}}});
  const json& ended = pod["status"]["containerStatuses"][0]["ended"];
  EXPECT_EQ(ended["message"], "last");
  EXPECT_EQ(ended["step"], json({{"name", "pre"}, {"code", 3}}));
}

// A MiniCluster whose pods request something in each way.
api::MiniCluster requesting() {
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

TEST(Job, KeepsWhatItsPodsRequest) {
  const json job = render::job(requesting());
  const json reduced = reduce_job(job);
  EXPECT_EQ(quota::demand_of(reduced, nullptr), quota::demand_of(job, nullptr));
  const api::Amounts demand = api::pod_requests(reduced["spec"]["template"]["spec"]);
  EXPECT_EQ(demand.at("cpu").str(), "5100m");
  EXPECT_EQ(demand.at("memory").str(), "1073741824");
  EXPECT_EQ(
      reduced["spec"]["template"]["spec"]["containers"],
      json::array({{{"resources", job["spec"]["template"]["spec"]["containers"][0]["resources"]}}}))
      << "and nothing else of its containers";
}

TEST(Job, WithoutATemplateKeepsNone) {
  EXPECT_FALSE(reduce_job({{"spec", {{"parallelism", 2}}}})["spec"].contains("template"));
}

TEST(Pod, KeepsWhatItRequests) {
  const json pod = render::services_pod(requesting());
  const json reduced = reduce_pod(pod);
  EXPECT_EQ(api::pod_requests(reduced["spec"]), api::pod_requests(pod["spec"]));
  EXPECT_EQ(api::pod_requests(reduced["spec"]).at("cpu").str(), "350m");
  const json idle = reduce_pod(json::parse(R"({"spec": {
      "initContainers": [{"name": "view"}], "containers": [{"name": "a", "resources": {}}]}})"));
  EXPECT_EQ(idle["spec"], json::parse(R"({"containers": [{"name": "a"}]})"));
}

TEST(Pod, IsSilentIfOnlyTheNodeControllerSaysThatItIsNotReady) {
  const struct {
    const char *name, *conditions, *node;
  } cases[] = {
      {"its node does not answer",
       R"([{"type": "Ready", "status": "False"}, {"type": "ContainersReady", "status": "True"}])",
       "n2"},
      {"ready",
       R"([{"type": "Ready", "status": "True"}, {"type": "ContainersReady", "status": "True"}])",
       ""},
      {"the kubelet says so",
       R"([{"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady"},
           {"type": "ContainersReady", "status": "True"}])",
       ""},
      {"never ready",
       R"([{"type": "Ready", "status": "False"}, {"type": "ContainersReady", "status": "False"}])",
       ""},
  };
  for (const auto& c : cases) {
    const json pod = reduce_pod(
        {{"spec", {{"nodeName", "n2"}}}, {"status", {{"conditions", json::parse(c.conditions)}}}});
    EXPECT_EQ(pod["status"].value("silent", false), *c.node != 0) << c.name;
    EXPECT_EQ(pod["spec"].value("nodeName", ""), c.node) << c.name;
  }
}

// A pod as the API server sends it, with what a reduced one is made of.
json sent_pod() {
  json pod = render::services_pod(requesting());
  pod["metadata"].merge_patch(json::parse(R"({
      "uid": "u", "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z",
      "deletionTimestamp": "2026-01-01T00:00:09Z",
      "annotations": {"flux-framework.org/admitted": "4"},
      "labels": {"batch.kubernetes.io/job-completion-index": "3"},
      "ownerReferences": [{"kind": "Job", "name": "sample", "uid": "j", "controller": true}]})"));
  pod["spec"].merge_patch(json::parse(R"({
      "tolerations": [{"key": "a"}], "volumes": [{"name": "tmp", "emptyDir": {}}],
      "overhead": {"cpu": "1m"}, "resources": {"limits": {"cpu": 2}}})"));
  pod["status"] = json::parse(R"({
      "phase": "Running", "reason": "r", "message": "m", "startTime": "2026-01-01T00:00:01Z",
      "podIPs": [{"ip": "10.0.0.1"}],
      "conditions": [{"type": "Ready", "status": "True"},
                     {"type": "PodScheduled", "status": "False", "reason": "r", "message": "m"}],
      "initContainerStatuses": [{"name": "side", "restartCount": 1,
          "state": {"running": {"startedAt": "2026-01-01T00:00:02Z"}},
          "lastState": {"terminated": {"exitCode": 3, "reason": "Error", "message": "m"}}}],
      "containerStatuses": [{"name": "store", "restartCount": 0,
          "volumeMounts": [{"name": "tmp"}], "resources": {"limits": {"cpu": 2}},
          "state": {"waiting": {"reason": "ImagePullBackOff", "message": "m"}}}]})");
  return pod;
}

TEST(Unread, IsWhatReducingDropsAnyway) {
  const json pod = sent_pod();
  EXPECT_EQ(reduce_pod(kube::parse_answer(pod.dump(), 0, unread_of_pod())), reduce_pod(pod));
  json job = render::job(requesting());
  job["status"] = json::parse(R"({"ready": 4, "conditions": [{"type": "Complete"}]})");
  EXPECT_EQ(reduce_job(kube::parse_answer(job.dump(), 0, unread_of_job())), reduce_job(job));
}

TEST(Unread, IsMostOfAJob) {
  const json job = render::job(requesting());
  const json kept = kube::parse_answer(job.dump(), 0, unread_of_job());
  EXPECT_LT(2 * count_values(kept, 10'000), count_values(job, 10'000));
}

}  // namespace
}  // namespace mc::controller
