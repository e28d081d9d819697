#include "services/controller/interpret/pod_problems.h"

#include <gtest/gtest.h>

#include "services/controller/cluster/read.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/services/controller/status/status_of.h"

namespace mc::controller {
namespace {

Shared<Event> refusal(const char* version, const std::string& message, const char* time = "") {
  json event = json::parse(R"({"metadata": {"name": "e", "namespace": "lab"},
      "involvedObject": {"kind": "Job", "name": "sample", "uid": "job-uid"},
      "reason": "FailedCreate"})");
  event["metadata"]["resourceVersion"] = version;
  event["message"] = message;
  event["lastTimestamp"] = time;
  return std::make_shared<const Event>(read_refusal(event));
}

TEST(PodProblems, QuotaThatRefusesPodsIsTold) {
  Observed seen = test::observed(test::cluster(), {test::job(R"({"status": {"active": 1}})")});
  seen.refusals.push_back(refusal("9", "Error creating: exceeded quota: small"));
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            "False PodsRefused: Error creating: exceeded quota: small");
  seen.refusals.push_back(refusal("10", "Error creating: forbidden by policy"));
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            "False PodsRefused: Error creating: forbidden by policy");
}

TEST(PodProblems, AQuotaThatAsksForResourcesIsToldWithTheFieldsThatSetThem) {
  Observed seen = test::observed(test::cluster(), {test::job(R"({"status": {"active": 1}})")});
  const std::string quota =
      R"(Error creating: pods "sample-0-x7k2p" is forbidden: failed quota: few: must specify )";
  const auto told = [&](const std::string& lacking) {
    seen.refusals = {refusal("9", quota + lacking)};
    const std::string whole = condition(status_of(seen), "Ready");
    return whole.substr(whole.find(lacking) + lacking.size());
  };
  EXPECT_EQ(told("limits.cpu for: flux-view; requests.cpu for: flux-view"),
            "; set spec.flux.container.resources");
  EXPECT_EQ(told("limits.cpu for: flux-view,sample; limits.memory for: sample"),
            "; set spec.flux.container.resources, spec.containers[0].resources");
  EXPECT_EQ(told("limits.cpu for: injected"), "");
  EXPECT_EQ(told("limits.cpu"), "");
}

// The Job controller requests another pod each time, and client-go aggregates similar events.
TEST(PodProblems, WhatIsRefusedAgainAndAgainIsOneMessage) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  const auto told = [&](const char* version, const std::string& message) {
    seen.refusals = {refusal(version, message)};
    return condition(status_of(seen), "Ready");
  };
  const std::string first =
      told("8", R"(Error creating: pods "sample-1-x7k2p" is forbidden: exceeded quota: few)");
  EXPECT_EQ(first,
            "False PodsRefused: Error creating: pods \"sample-*\" is forbidden: exceeded quota: "
            "few");
  EXPECT_EQ(told("9", R"(Error creating: pods "sample-0-abcde" is forbidden: exceeded quota: few)"),
            first);
  EXPECT_EQ(told("10",
                 "(combined from similar events): Error creating: pods \"sample-12-9zzzz\" "
                 "is forbidden: exceeded quota: few"),
            first);
}

TEST(PodProblems, ARefusalIsPastOnceAPodWasMadeAfterIt) {
  Observed seen = test::observed(test::cluster(), {test::job(R"({"status": {"active": 1}})")});
  seen.refusals = {refusal("9", "Error creating: exceeded quota", "2026-01-01T00:00:10Z")};
  const auto ready = [&](const char* created) {
    seen.pods = {
        test::pod("0", json({{"metadata", {{"creationTimestamp", created}}}}).dump().c_str())};
    return member_of(status_of(seen), "Ready", "reason");
  };
  EXPECT_EQ(ready("2026-01-01T00:00:09Z"), "PodsRefused");
  EXPECT_EQ(ready("2026-01-01T00:00:10Z"), "PodsRefused") << "made beside the one that was refused";
  EXPECT_EQ(ready("2026-01-01T00:00:11Z"), "Starting");
}

Shared<Event> mount_failure(const char* pod, const char* message, const char* time) {
  json event = json::parse(R"({"metadata": {"name": "e", "namespace": "lab"},
      "involvedObject": {"kind": "Pod"}, "reason": "FailedMount"})");
  event["involvedObject"]["name"] = std::string(pod) + "-abcde";
  event["involvedObject"]["uid"] = pod;
  event["message"] = message;
  event["lastTimestamp"] = time;
  return std::make_shared<const Event>(read_mount_failure(event));
}

// Observed on a busy node, for every volume of a pod that started a second later.
TEST(PodProblems, AKubeletThatCatchesUpIsNoTrouble) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  seen.pods = {
      test::pod("1", R"({"metadata": {"uid": "sample-1"}, "status": {"phase": "Pending"}})")};
  seen.mount_failures = {mount_failure("sample-1",
                                       "MountVolume.SetUp failed for volume \"data\" : failed to "
                                       "sync configmap cache: timed out waiting for the condition",
                                       "2026-01-01T00:02:00Z")};
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            "False Starting: The command starts when 2 pods are ready.");
}

TEST(PodProblems, AVolumeThatCannotBeHadIsToldUntilTheContainersStart) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  const auto pods = [&](const char* status) {
    json patch = {{"metadata", {{"uid", "sample-1"}}}};
    patch["status"] = json::parse(status);
    seen.pods = {test::pod("1", patch.dump().c_str())};
    return condition(status_of(seen), "Ready");
  };
  const std::string told =
      "False MountFailed: pod sample-1: MountVolume.SetUp failed for volume \"data\" : configmap "
      "\"x\" not found";
  seen.mount_failures = {
      mount_failure("sample-1", "Unable to attach or mount volumes: timed out",
                    "2026-01-01T00:02:00Z"),
      mount_failure("sample-1",
                    "MountVolume.SetUp failed for volume \"data\" : configmap \"x\" not found",
                    "2026-01-01T00:01:00Z"),
      mount_failure("sample-1", "MountVolume.SetUp failed for volume \"a\" : mended since",
                    "2025-12-31T23:50:00Z"),
      mount_failure("another", "MountVolume.SetUp failed", "2026-01-01T00:02:00Z")};
  EXPECT_EQ(pods(R"({"phase": "Pending"})"), told);
  EXPECT_EQ(pods(R"({"phase": "Pending", "containerStatuses": [{"name": "sample", "state":
                     {"waiting": {"reason": "PodInitializing"}}}]})"),
            told);
  const std::string starting = "False Starting: The command starts when 2 pods are ready.";
  EXPECT_EQ(pods(R"({"phase": "Pending", "initContainerStatuses": [{"name": "flux-view", "state":
                     {"running": {"startedAt": "2026-01-01T00:03:00Z"}}}]})"),
            starting);
  EXPECT_EQ(pods(R"({"phase": "Running"})"), starting);
}

TEST(PodProblems, AJobThatFailedForLackOfAVolumeNamesTheVolume) {
  json late = test::job();
  late["status"]["conditions"] = json::parse(R"([{"type": "Failed", "status": "True",
      "reason": "DeadlineExceeded", "message": "Job was active longer than the deadline"}])");
  Observed seen = test::observed(test::cluster(), {late});
  seen.pods = {
      test::pod("1", R"({"metadata": {"uid": "sample-1"}, "status": {"phase": "Pending"}})")};
  seen.mount_failures = {mount_failure(
      "sample-1", "MountVolume.SetUp failed for volume \"data\" : configmap \"x\" not found",
      "2026-01-01T00:01:00Z")};
  EXPECT_EQ(condition(status_of(seen), "Failed"),
            "True DeadlineExceeded: Job was active longer than the deadline; pod sample-1: "
            "MountVolume.SetUp failed for volume \"data\" : configmap \"x\" not found");
}

constexpr const char* kOnANode = R"({"status": {"startTime": "2026-01-01T00:00:00Z"}})";
constexpr const char* kNowhere = R"({"status": {"conditions": [{"type": "PodScheduled",
    "status": "False", "reason": "Unschedulable", "message": "0/2 nodes: Insufficient cpu."}]}})";

TEST(PodProblems, SomePodsOnNodesWhileOthersWaitIsInPartUntilEnoughAreThere) {
  const Pods some = {test::pod("0", kOnANode), test::pod("1", kNowhere)};
  EXPECT_TRUE(is_in_part(some, 1, 2));
  EXPECT_FALSE(is_in_part(some, 1, 1)) << "the command can start";
  EXPECT_FALSE(is_in_part({test::pod("0", kOnANode)}, 1, 2)) << "the other is on its way";
  EXPECT_FALSE(is_in_part({test::pod("1", kNowhere)}, 0, 2)) << "it holds nothing";
  EXPECT_TRUE(is_in_part({test::pod("1", kNowhere)}, 3, 5)) << "three are only counted";
}

TEST(PodProblems, AnotherThatIsInPartTooIsNamed) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  seen.pods = {test::pod("0", kOnANode), test::pod("1", kNowhere)};
  const std::string own = "False Unschedulable: pod sample-1: 0/2 nodes: Insufficient cpu.";
  EXPECT_EQ(condition(status_of(seen), "Ready"), own);
  seen.in_part_with = "lab/other";
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            own +
                " MiniCluster lab/other also has nodes for only some of its pods, so both may "
                "wait forever. Suspend or delete one of them. Gang scheduling or the limits of a "
                "FluxSetup prevent this (docs/scheduling.md).");
}

TEST(PodProblems, AThousandPodsInTroubleMakeOneMessage) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  const char* const kBadImage =
      R"({"status": {"containerStatuses": [{"name": "sample", "state": {"waiting":
          {"reason": "ErrImagePull", "message": "manifest unknown"}}}]}})";
  seen.pods.push_back(test::pod("0", kBadImage));
  const json one = status_of(seen);
  for (int i = 1; i < 1000; ++i) {
    seen.pods.push_back(test::pod(std::to_string(i).c_str(), kBadImage));
  }
  EXPECT_EQ(status_of(seen), one);
}

// The Job recreates the pod with index 0, and each one fails: the problem is reported while the
// next one is pending, and no longer once it runs.
TEST(PodProblems, APodThatFailsAgainAndAgainIsOneTroubleUntilItRuns) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  const auto ready = [&] { return member_of(status_of(seen), "Ready", "reason"); };
  const char* const kFailed =
      R"({"metadata": {"name": "sample-0-a", "creationTimestamp": "2026-01-01T00:00:00Z"},
          "status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
          {"terminated": {"exitCode": 241}}}]}})";
  seen.pods = {test::pod("0", kFailed)};
  EXPECT_EQ(ready(), "PodFailing");
  const auto next = [](const char* phase) {
    return json({{"metadata", {{"name", "b"}, {"creationTimestamp", "2026-01-01T00:00:09Z"}}},
                 {"status", {{"phase", phase}}}})
        .dump();
  };
  seen.pods = {test::pod("0", kFailed), test::pod("0", next("Pending").c_str())};
  EXPECT_EQ(ready(), "PodFailing");
  seen.pods = {test::pod("0", kFailed), test::pod("0", next("Running").c_str())};
  EXPECT_EQ(ready(), "Starting");
}

// As the kubelet of 1.37 reports it: restartPolicyRules with RestartAllContainers.
TEST(PodProblems, APodThatRestartsInItsPlaceIsTroubleUntilItIsReady) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  const auto ready = [&](const std::string& containers, const char* is_ready = "False") {
    json pod =
        json::parse(R"({"status": {"phase": "Running", "conditions": [{"type": "Ready"}]}})");
    pod["status"]["conditions"][0]["status"] = is_ready;
    pod["status"]["containerStatuses"] = json::parse(containers);
    seen.pods = {test::pod("0", pod.dump().c_str())};
    return condition(status_of(seen), "Ready");
  };
  const std::string here = "False PodFailing: pod sample-0 restarts in place";
  EXPECT_EQ(
      ready(R"([{"name": "sample", "state": {"terminated": {"exitCode": 250, "reason": "Error",
      "message": "sample-1 was lost while the command ran"}}}])"),
      here + ": container sample ended with code 250: sample-1 was lost while the command ran");
  const std::string last = R"("lastState": {"terminated": {"exitCode": 137,
      "reason": "RestartingAllContainers", "message": "The container is removed"}})";
  EXPECT_EQ(ready(R"([{"name": "sample", "restartCount": 1, "state": {"waiting":
      {"reason": "RestartingAllContainers"}}, )" +
                  last + "}]"),
            here + "; its log may say why");
  const std::string again =
      R"([{"name": "sample", "restartCount": 1, "state": {"running": {}}, )" + last + "}]";
  EXPECT_EQ(ready(again), here + "; its log may say why");
  EXPECT_EQ(ready(again, "True").substr(0, 14), "False Starting");
}

}  // namespace
}  // namespace mc::controller
