#include <gtest/gtest.h>

#include <string>

#include "common/api/model/pod_requests.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"
#include "common/render/pod.h"
#include "services/controller/cluster/read.h"
#include "tests/services/controller/requesting.h"

namespace mc::controller {
namespace {

// A pod as the API server sends it.
json sent_pod() {
  json pod = render::services_pod(test::requesting());
  pod["metadata"].merge_patch(json::parse(R"({
      "uid": "u", "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z",
      "deletionTimestamp": "2026-01-01T00:00:09Z",
      "deletionGracePeriodSeconds": 4,
      "annotations": {"flux-framework.org/admitted": "4"},
      "labels": {"batch.kubernetes.io/job-completion-index": "3", "job-index": "3", "a": "b"},
      "ownerReferences": [{"kind": "Job", "name": "sample", "uid": "j", "controller": true}]})"));
  pod["spec"].merge_patch(json::parse(R"({
      "nodeName": "n1", "initContainers": [{"name": "side", "restartPolicy": "Always"}],
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

std::string text(const std::optional<Time>& time) { return time ? rfc3339(*time) : ""; }

std::string text(const Reason& why) { return why.reason + ": " + why.message; }

TEST(ReadPod, HasWhatTheApiServerSays) {
  const Pod pod = read_pod(sent_pod());
  EXPECT_EQ(pod.metadata.uid, "u");
  EXPECT_EQ(pod.metadata.resource_version, "7");
  EXPECT_EQ(owner_key(pod.metadata, "Job"), pod.metadata.ns.str() + "/sample");
  EXPECT_EQ(text(pod.metadata.created), "2026-01-01T00:00:00Z");
  EXPECT_EQ(text(pod.metadata.deletion), "2026-01-01T00:00:09Z");
  EXPECT_EQ(pod.grace.count(), 4);
  EXPECT_EQ(pod.index, 3);
  EXPECT_EQ(pod.index_label, "3");
  EXPECT_TRUE(pod.labels.empty()) << "they are many, and nobody reads them";
  EXPECT_EQ(pod.admitted, "4");
  EXPECT_EQ(pod.phase, PodPhase::Running);
  EXPECT_EQ(text(pod.why), "r: m");
  EXPECT_EQ(text(pod.started), "2026-01-01T00:00:01Z");
  EXPECT_EQ(pod.node, "n1");
  EXPECT_TRUE(pod.is_ready);
  ASSERT_TRUE(pod.unscheduled);
  EXPECT_EQ(text(*pod.unscheduled), "r: m");
  EXPECT_EQ(text(pod.bound), "");
}

TEST(ReadPod, OnANodeHasTheTimeWhenItGotIt) {
  const Pod pod = read_pod(json::parse(R"({"status": {"conditions": [
      {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:09Z"},
      {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T00:00:03Z"}]}})"));
  EXPECT_EQ(text(pod.bound), "2026-01-01T00:00:03Z");
  EXPECT_FALSE(pod.unscheduled);
}

TEST(ReadPod, HasTheStateOfEachContainer) {
  const Pod pod = read_pod(sent_pod());
  ASSERT_EQ(pod.init_containers.size(), 1U);
  const Container& side = pod.init_containers[0];
  EXPECT_EQ(side.name, "side");
  EXPECT_EQ(side.restarts, 1);
  EXPECT_TRUE(side.is_sidecar);
  EXPECT_TRUE(side.runs);
  EXPECT_EQ(text(side.started), "2026-01-01T00:00:02Z");
  ASSERT_TRUE(side.ended);
  EXPECT_TRUE(side.was_restarted);
  EXPECT_EQ(side.ended->exit_code, 3);
  EXPECT_EQ(side.ended->reason, "Error");
  EXPECT_EQ(side.ended->last_words, "m");
  ASSERT_EQ(pod.containers.size(), 1U);
  const Container& store = pod.containers[0];
  EXPECT_FALSE(store.is_sidecar || store.runs || store.ended || store.was_restarted);
  EXPECT_EQ(text(store.waiting), "ImagePullBackOff: m");
}

TEST(ReadPod, WithoutACompletionIndexHasAllItsLabelsAndItsNodeOnlyOnceItEnds) {
  json sent = sent_pod();
  sent["metadata"]["labels"] = {{"a", "b"}};
  sent["metadata"].erase("deletionTimestamp");
  const Pod pod = read_pod(sent);
  EXPECT_EQ(pod.index, -1);
  EXPECT_EQ(*find_label(pod.labels, "a"), "b");
  EXPECT_EQ(pod.node, "");
}

TEST(ReadPod, WhatIsNotOfItsTypeIsAbsent) {
  for (const char* text : {"null", "[]", "{}", R"({"metadata": 1, "spec": [], "status": "x"})",
                           R"({"status": {"phase": 1, "conditions": {}, "containerStatuses": [],
                               "initContainerStatuses": 7}})"}) {
    const Pod pod = read_pod(json::parse(text));
    EXPECT_EQ(pod.phase, PodPhase::None) << text;
    EXPECT_EQ(pod.index, -1) << text;
    EXPECT_FALSE(pod.is_ready || pod.unscheduled || pod.metadata.created || pod.metadata.deletion)
        << text;
    EXPECT_TRUE(pod.containers.empty() && pod.init_containers.empty()) << text;
  }
  const Pod odd = read_pod(json::parse(R"({"metadata": {"labels":
      {"batch.kubernetes.io/job-completion-index": "-7"}},
      "status": {"phase": "Another", "containerStatuses": [1, {"state": {"terminated": true}}]}})"));
  EXPECT_EQ(odd.index, -1);
  EXPECT_EQ(odd.phase, PodPhase::Unknown);
  ASSERT_EQ(odd.containers.size(), 2U);
  EXPECT_FALSE(odd.containers[1].ended);
}

TEST(ReadPod, IsSilentIfOnlyTheNodeControllerSaysThatItIsNotReady) {
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
    const Pod pod = read_pod(
        {{"spec", {{"nodeName", "n2"}}}, {"status", {{"conditions", json::parse(c.conditions)}}}});
    EXPECT_EQ(pod.is_silent, *c.node != 0) << c.name;
    EXPECT_EQ(pod.node, c.node) << c.name;
  }
}

// The end of a container whose log ends with this.
ContainerEnd end_of(const std::string& log, int code) {
  const json status = {
      {"containerStatuses",
       json::array({{{"name", "sample"},
                     {"state", {{"terminated", {{"exitCode", code}, {"message", log}}}}}}})}};
  return *read_pod({{"status", status}}).containers.at(0).ended;
}

TEST(ReadPod, KeepsTheEndOfWhatAContainerSaidAndWhoEnded) {
  const ContainerEnd end =
      end_of(std::string(1500, 'x') + "\nlast\nminicluster: error: pre ended with code 3\n", 3);
  EXPECT_EQ(end.last_words, "last");
  ASSERT_TRUE(end.step);
  EXPECT_EQ(end.step->step, "pre");
  EXPECT_EQ(end.step->code, 3);
  EXPECT_FALSE(end.command_code || end.singletons);
  EXPECT_EQ(end_of("the command ended with code 7", 0).command_code, 7);
}

TEST(ReadPod, TextsAreCut) {
  json sent = sent_pod();
  sent["status"]["message"] = std::string(5000, 'x');
  sent["status"]["containerStatuses"][0]["state"]["waiting"]["message"] = std::string(5000, 'x');
  const Pod pod = read_pod(sent);
  EXPECT_EQ(pod.why.message.size(), 1024U);
  EXPECT_EQ(pod.containers[0].waiting.message.size(), 1024U);
}

TEST(ReadPod, HasWhatItRequests) {
  const json pod = render::services_pod(test::requesting());
  EXPECT_EQ(read_pod(pod).requests, api::pod_requests(pod["spec"]));
  EXPECT_EQ(read_pod(pod).requests.at("cpu").str(), "350m");
}

TEST(FieldsOfAPod, AreAllThatIsRead) {
  const json sent = sent_pod();
  const Pod all = read_pod(sent);
  const Pod kept = read_pod(kube::parse_answer(sent.dump(), 0, fields_of(Pod::kKind)));
  EXPECT_EQ(kept.requests, all.requests);
  EXPECT_EQ(kept.init_containers.size(), all.init_containers.size());
  EXPECT_EQ(kept.init_containers[0].is_sidecar, all.init_containers[0].is_sidecar);
  EXPECT_EQ(kept.containers[0].waiting.reason, all.containers[0].waiting.reason);
  EXPECT_EQ(kept.node, all.node);
  EXPECT_EQ(kept.admitted, all.admitted);
}

}  // namespace
}  // namespace mc::controller
