#include "services/controller/status/status.h"

#include <gtest/gtest.h>

#include "common/api/model/conditions.h"
#include "services/controller/reconcile/job_record.h"
#include "services/controller/status/events.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

constexpr const char* kNow = "2026-01-01T00:00:00Z";
constexpr const char* kLater = "2026-01-01T00:01:00Z";

json status_of(const Observed& seen, Outcome outcome = {}, const char* now = kNow) {
  const api::Examination examination = test::examined(seen);
  outcome.not_applied = never_applied(seen, examination);
  return status(seen, examination, outcome, now);
}

// `Status Reason: message` of one condition; "" if there is none.
std::string condition(const json& of, std::string_view type) {
  const json* found = api::find_condition(of["conditions"], type);
  if (found == nullptr) return "";
  return (*found)["status"].get<std::string>() + " " + (*found)["reason"].get<std::string>() +
         ": " + (*found)["message"].get<std::string>();
}

constexpr const char* kReadyPod =
    R"({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})";

// `seen` with `count` ready pods.
Observed with_ready_pods(Observed seen, int count) {
  for (int i = 0; i < count; ++i) {
    seen.pods.push_back(test::pod(std::to_string(i).c_str(), kReadyPod));
  }
  return seen;
}

json member_of(const json& of, const char* type, const char* member) {
  return (*api::find_condition(of["conditions"], type))[member];
}

json member_of_accepted(const json& of, const char* member) {
  return member_of(of, "Accepted", member);
}

TEST(Status, HasWhatThePublicApiRequires) {
  const json of = status_of(test::observed(test::cluster(R"({"spec": {"maxSize": 8}})")));
  EXPECT_EQ(of["jobid"], "");
  EXPECT_EQ(of["size"], 0);
  EXPECT_EQ(of["maximumSize"], 8);
  EXPECT_EQ(of["selector"], "hpa-selector=sample");
  EXPECT_EQ(of["observedGeneration"], 3);
}

TEST(Status, ThePhaseFollowsTheJob) {
  const struct {
    const char* name;
    std::vector<json> owned;
    int ready;
    const char* phase;
  } cases[] = {
      {"no Job yet", {}, 0, "Pending"},
      {"a Job and no pod ready", {test::job()}, 0, "Starting"},
      {"one of two ready", {test::job(R"({"status": {"ready": 1}})")}, 1, "Starting"},
      {"the quorum is ready", {test::job(R"({"status": {"ready": 2}})")}, 2, "Running"},
      {"suspended", {test::job(R"({"spec": {"suspend": true}})")}, 0, "Suspended"},
      {"complete", {test::ended_job("Complete")}, 0, "Succeeded"},
      {"failed", {test::ended_job("Failed")}, 0, "Failed"},
      {"a condition that is false says nothing",
       {test::job(R"({"status": {"conditions": [{"type": "Failed", "status": "False"}]}})")},
       0,
       "Starting"},
  };
  for (const auto& c : cases) {
    const Observed seen = with_ready_pods(test::observed(test::cluster(), c.owned), c.ready);
    EXPECT_EQ(status_of(seen)["phase"], c.phase) << c.name;
  }
}

TEST(Status, MinSizeIsTheQuorum) {
  Observed seen = test::observed(test::cluster(R"({"spec": {"size": 4, "minSize": 2}})"),
                                 {test::job(R"({"status": {"ready": 3}})")});
  EXPECT_EQ(status_of(with_ready_pods(seen, 2))["phase"], "Running");
  EXPECT_EQ(status_of(with_ready_pods(seen, 1))["phase"], "Starting") << "the Job is late";
  for (const char* index : {"1", "2", "3"}) seen.pods.push_back(test::pod(index, kReadyPod));
  EXPECT_EQ(status_of(seen)["phase"], "Starting") << "there is no lead";
}

TEST(Status, CountsAndTimesAreTheJobs) {
  const json of = status_of(with_ready_pods(
      test::observed(test::cluster(),
                     {test::job(R"({"status": {"ready": 1, "active": 2, "succeeded": 0,
                                    "failed": 3, "startTime": "2026-01-01T00:00:05Z"}})")}),
      1));
  EXPECT_EQ(of["ready"], 1);
  EXPECT_EQ(of["active"], 2);
  EXPECT_EQ(of["succeeded"], 0);
  EXPECT_EQ(of["failed"], 3);
  EXPECT_EQ(of["size"], 2);
  EXPECT_EQ(of["startTime"], "2026-01-01T00:00:05Z");
  EXPECT_FALSE(of.contains("completionTime"));
}

TEST(Status, AnInvalidSpecIsToldWithEveryError) {
  const json of = status_of(test::observed(test::cluster(R"({"spec": {"size": 0, "tasks": -1}})")));
  EXPECT_EQ(condition(of, "Accepted"),
            "False Invalid: [spec.size: Invalid value: 0: must be greater than or equal to 1, "
            "spec.tasks: Invalid value: -1: must be greater than or equal to 0 (0: one task for "
            "each node)]");
  EXPECT_EQ(condition(of, "ObjectsReady"),
            "False NotAccepted: Nothing is created while the spec is invalid.");
}

TEST(Status, WhatBecameOfTheWritesIsInObjectsReady) {
  const Observed seen = test::observed(test::cluster());
  EXPECT_EQ(condition(status_of(seen), "ObjectsReady"),
            "True Created: Every object of the MiniCluster exists.");
  const Outcome conflict = {.conflicts = {"Service sample"},
                            .unseen = {},
                            .refusals = {},
                            .errors = {},
                            .not_applied = {}};
  EXPECT_EQ(condition(status_of(seen, conflict), "ObjectsReady"),
            "False NameTaken: Service sample: an object of that name exists and does not belong to "
            "this MiniCluster, which waits until that object is deleted");
  const Outcome refusal = {.conflicts = {},
                           .unseen = {},
                           .refusals = {"create Job: quota"},
                           .errors = {},
                           .not_applied = {}};
  EXPECT_EQ(condition(status_of(seen, refusal), "ObjectsReady"),
            "False Refused: create Job: quota");
  const Outcome passing = {.conflicts = {},
                           .unseen = {},
                           .refusals = {},
                           .errors = {{ErrorKind::Unavailable, "x", 0}},
                           .not_applied = {}};
  EXPECT_EQ(condition(status_of(seen, passing), "ObjectsReady"), "");
}

TEST(Status, AFieldThatTheApiServerDroppedIsToldAndTheObjectsAreStillReady) {
  const Observed seen =
      test::observed(test::cluster(), {test::job(R"({"spec": {"successPolicy": null}})")});
  const json of = status_of(seen);
  EXPECT_EQ(condition(of, "ObjectsReady"),
            "True FieldDropped: Every object exists, but the API server dropped "
            "spec.successPolicy of the Job, so that the Job ends when every pod has ended by "
            "itself, and not with the lead's success: enable the feature gate JobSuccessPolicy.");
  const std::vector<Event> told = events(json(), of);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].warning);
  EXPECT_EQ(told[0].reason, "FieldDropped");
  EXPECT_TRUE(events(of, status_of(seen, {}, kLater)).empty()) << "told once";
}

// `kubectl get` shows the reason of Ready; otherwise nothing would explain why there are no pods.
TEST(Status, ReadyNamesTheConditionThatKeepsTheJobFromBeingMade) {
  const json invalid = status_of(test::observed(test::cluster(R"({"spec": {"size": 0}})")));
  EXPECT_EQ(condition(invalid, "Ready"), "False Invalid: There is no Job: see Accepted.");
  const Observed seen = test::observed(test::cluster());
  const Outcome refusal = {.conflicts = {},
                           .unseen = {},
                           .refusals = {"create Job: quota"},
                           .errors = {},
                           .not_applied = {}};
  EXPECT_EQ(condition(status_of(seen, refusal), "Ready"),
            "False Refused: There is no Job: see ObjectsReady.");
  EXPECT_EQ(condition(status_of(seen), "Ready"), "") << "it is about to be made";
}

TEST(Status, AnObjectThatIsBeingDeletedIsWaitedFor) {
  const json of = status_of(test::observed(
      test::cluster(),
      {test::job(R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})")}));
  EXPECT_EQ(condition(of, "ObjectsReady"),
            "False BeingDeleted: Job sample: is being deleted, and will be recreated");
}

TEST(Status, TheServicesPodOfAJobThatIsHeldIsNotMissed) {
  const json cluster = test::cluster(R"({"spec": {"services": [{"name": "db", "image": "x:1"}]}})");
  const json going = {{"kind", "Pod"},
                      {"metadata", {{"name", "sample-services"}, {"deletionTimestamp", kNow}}}};
  const json held = test::job(R"({"spec": {"suspend": true}})");
  EXPECT_EQ(condition(status_of(test::observed(cluster, {held, going})), "ObjectsReady"),
            "True Created: Every object exists except the services pod, which waits with the Job.");
  EXPECT_EQ(condition(status_of(test::observed(cluster, {test::job(), going})), "ObjectsReady"),
            "False BeingDeleted: Pod sample-services: is being deleted, and will be recreated");
}

TEST(Status, AllThatWereAdmittedAreTheQuorum) {
  const json job = test::job(R"({"metadata": {"annotations": {
      "flux-framework.org/quorum": "admitted"}}, "spec": {"completions": 4, "parallelism": 4}})");
  const json cluster = test::cluster(R"({"spec": {"size": 8, "minSize": 2}})");
  EXPECT_EQ(condition(status_of(test::observed(cluster, {job})), "Ready"),
            "False Starting: The command starts when 4 pods are ready.");
}

TEST(Status, ASecondLookChangesNothing) {
  json object = test::cluster();
  object["status"] = status_of(test::observed(object, {test::job()}));
  EXPECT_EQ(status_of(test::observed(object, {test::job()}), {}, kLater), object["status"]);
}

TEST(Status, ATransitionTimeMovesWithTheStatusOnly) {
  json object = test::cluster();
  object["status"] = status_of(test::observed(object));
  object["metadata"]["generation"] = 4;
  const json same = status_of(test::observed(object), {}, kLater);
  EXPECT_EQ(member_of_accepted(same, "lastTransitionTime"), kNow);
  EXPECT_EQ(member_of_accepted(same, "observedGeneration"), 4);
  object["spec"]["size"] = 0;
  const json other = status_of(test::observed(object), {}, kLater);
  EXPECT_EQ(member_of_accepted(other, "lastTransitionTime"), kLater);
}

TEST(Status, ConditionsOfOthersStay) {
  const json of = status_of(test::observed(test::cluster(
      R"({"status": {"conditions": [{"type": "Theirs", "status": "True", "reason": "R",
                                    "message": "m"}]}})")));
  EXPECT_EQ(condition(of, "Theirs"), "True R: m");
}

TEST(Status, FinishedStaysFinishedWhenTheJobIsGone) {
  json object = test::cluster();
  object["status"] = status_of(test::observed(object, {test::ended_job("Complete")}));
  EXPECT_EQ(object["status"]["phase"], "Succeeded");
  EXPECT_EQ(status_of(test::observed(object), {}, kLater), object["status"]);
}

struct ProgressCase {
  const char* name;
  const char* cluster;
  const char* job;
  std::vector<const char*> pods;  // merge patches, by index
  const char* type;
  const char* expected;  // `Status Reason: message`; "" if there is no such condition
};

TEST(Status, ConditionsSayWhatJobAndPodsTell) {
  const ProgressCase cases[] = {
      {"no Job yet: nothing is known", "{}", "", {}, "Ready", ""},
      {"pods on their way",
       "{}",
       "{}",
       {},
       "Ready",
       "False Starting: The command starts when 2 pods are ready."},
      {"the quorum is there",
       "{}",
       R"({"status": {"ready": 2}})",
       {kReadyPod, kReadyPod},
       "Ready",
       "True QuorumReached: At least 2 pods are ready, which is enough for the command."},
      {"the quorum that the brokers were told counts",
       R"({"spec": {"size": 4, "maxSize": 4, "minSize": 3}})",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "1"}},
           "spec": {"completions": 4}, "status": {"ready": 1}})",
       {kReadyPod},
       "Ready",
       "True QuorumReached: At least 1 pod is ready, which is enough for the command."},
      {"unschedulable",
       "{}",
       "{}",
       {"{}", R"({"status": {"conditions": [{"type": "PodScheduled", "status": "False",
                  "reason": "Unschedulable", "message": "0/3 nodes: Insufficient cpu."}]}})"},
       "Ready",
       "False Unschedulable: pod sample-1: 0/3 nodes: Insufficient cpu."},
      {"gated by a queueing system is no trouble",
       "{}",
       "{}",
       {R"({"status": {"conditions": [{"type": "PodScheduled", "status": "False",
            "reason": "SchedulingGated", "message": "x"}]}})"},
       "Ready",
       "False Starting: The command starts when 2 pods are ready."},
      {"an image that is not there",
       "{}",
       "{}",
       {R"({"status": {"containerStatuses": [{"name": "sample", "state": {"waiting":
            {"reason": "ErrImagePull", "message": "manifest unknown"}}}]}})"},
       "Ready",
       "False ImagePullFailed: pod sample-0, container sample ErrImagePull: manifest unknown"},
      {"a Secret that is not there",
       "{}",
       "{}",
       {R"({"status": {"initContainerStatuses": [{"name": "flux-view", "state": {"waiting":
            {"reason": "CreateContainerConfigError", "message": "secret \"x\" not found"}}}]}})"},
       "Ready",
       "False ContainerCannotStart: pod sample-0, container flux-view CreateContainerConfigError: "
       "secret \"x\" not found"},
      {"a crash loop",
       "{}",
       "{}",
       {R"({"status": {"containerStatuses": [{"name": "helper", "state": {"waiting":
            {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}, "lastState":
            {"terminated": {"exitCode": 3, "reason": "Error", "message": "no such file\n"}}}]}})"},
       "Ready",
       "False CrashLooping: pod sample-0, container helper ended with code 3: no such file"},
      {"a pod that is made anew",
       "{}",
       "{}",
       {R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 241, "reason": "Error", "message": "no flux"}}}]}})"},
       "Ready",
       "False PodFailing: pod sample-0, container sample ended with code 241: no flux"},
      {"an evicted pod",
       "{}",
       "{}",
       {R"({"status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory"}})"},
       "Ready",
       "False PodFailing: pod sample-0 failed (Evicted): low on memory"},
      {"made smaller, and the lead still runs",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "4",
           "flux-framework.org/shrunk-at": "2026-01-01T00:10:00Z"}}, "status": {"ready": 2}})",
       {R"({"status": {"startTime": "2026-01-01T00:00:00Z", "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}]}})",
        kReadyPod},
       "Ready",
       "True QuorumReached: At least 2 pods are ready, which is enough for the command."},
      {"made smaller, and the lead started after that",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "4",
           "flux-framework.org/shrunk-at": "2026-01-01T00:10:00Z"}}, "status": {"ready": 2}})",
       {R"({"status": {"startTime": "2026-01-01T00:20:00Z"}})"},
       "Ready",
       "False QuorumUnreachable: The lead broker waits for 4 brokers, but the cluster was "
       "reduced to 2. Raise spec.size to 4, or delete the MiniCluster and create it again."},
      {"never suspended", "{}", "{}", {}, "Suspended", ""},
      {"suspended by us",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}},
           "spec": {"suspend": true}})",
       {},
       "Suspended",
       "True Suspended: spec.suspend is true; the Job has no pods."},
      {"held by a queueing system",
       "{}",
       R"({"spec": {"suspend": true}})",
       {},
       "Suspended",
       "True Queued: A queueing system or another client has suspended the Job; it has no pods."},
      {"suspended once",
       R"({"status": {"conditions": [{"type": "Suspended", "status": "True"}]}})",
       "{}",
       {},
       "Suspended",
       "False Resumed: The Job is not suspended."},
      {"complete",
       "{}",
       R"({"status": {"conditions": [{"type": "Complete", "status": "True"}]}})",
       {},
       "Complete",
       "True CommandSucceeded: The lead broker's command ended with code 0."},
      {"the command failed",
       "{}",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message": "pod lab/sample-0-x failed with exit code 7 matching"
           }]}})",
       {},
       "Failed",
       "True CommandFailed: The command or a snippet ended with code 7; pod sample-0-x is gone "
       "with "
       "its log."},
      {"the command failed, and what its pod said is still on its way",
       "{}",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message": "pod lab/sample-0 failed with exit code 7 matching"
           }]}})",
       {R"({"status": {"phase": "Running", "containerStatuses": [{"name": "sample", "state":
            {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}})"},
       "Failed",
       ""},
      {"the command failed, and its pod is seen",
       "{}",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message": "x"}]}})",
       {R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 7, "message": "lost atom 3\n"}}}]}})"},
       "Failed",
       "True CommandFailed: The command ended with code 7: lost atom 3"},
      {"the command failed, and the Job that gave up for it keeps how",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/command-failure": "7: lost atom"}},
           "status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "BackoffLimitExceeded", "message": "x"}]}})",
       {},
       "Failed",
       "True CommandFailed: The command ended with code 7: lost atom"},
      {"the deadline",
       "{}",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "DeadlineExceeded", "message": "Job was active longer than specified deadline"}
           ]}})",
       {},
       "Failed",
       "True DeadlineExceeded: Job was active longer than specified deadline"},
      {"a broker that ends again and again",
       "{}",
       "{}",
       {R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 247, "reason": "Error",
                            "message": "the broker ended with code 1"}}}]}})"},
       "Ready",
       "False PodFailing: pod sample-0, container sample ended with code 247: the broker ended "
       "with code 1"},
      {"a follower was killed for its memory, and the lead ended for that",
       "{}",
       "{}",
       {R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 246, "message": "a follower was lost"}}}]}})",
        R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}})"},
       "Ready",
       "False OOMKilled: pod sample-1, container sample was OOMKilled: raise its memory limit "
       "(resources.limits.memory)"},
      {"killed for its memory while it was made, before the kubelet's next try",
       "{}",
       "{}",
       {R"({"status": {"initContainerStatuses": [{"name": "flux-view", "restartCount": 1,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}},
            "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}})"},
       "Ready",
       "False OOMKilled: pod sample-0, container flux-view was OOMKilled: raise its memory limit "
       "(resources.limits.memory)"},
      {"no memory, and no more tries",
       "{}",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "BackoffLimitExceeded", "message": "Job has reached the limit"}]}})",
       {R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}})"},
       "Failed",
       "True OOMKilled: Job has reached the limit; pod sample-0, container sample was OOMKilled: "
       "raise its memory limit (resources.limits.memory)."},
      {"a snippet of a follower failed, and its pod is gone",
       "{}",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message":
           "Container sample for pod lab/sample-1-abcde failed with exit code 3 matching FailJob"
           }]}})",
       {},
       "Failed",
       "True PodFailed: The container ended with code 3; pod sample-1-abcde is gone with its log."},
      {"a Job that was told to give up keeps the end",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/end":
           "{\"type\": \"Complete\", \"reason\": \"CommandSucceeded\", \"message\": \"m\"}"}},
           "status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "DeadlineExceeded", "message": "x"}]}})",
       {},
       "Complete",
       "True CommandSucceeded: m"},
      {"a Job that is held never comes to its end",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/end":
           "{\"type\": \"Failed\", \"reason\": \"CommandFailed\", \"message\": \"m\"}"}},
           "spec": {"suspend": true}})",
       {},
       "Failed",
       "True CommandFailed: m"},
      {"a Job that was told to give up, and has not yet",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/end":
           "{\"type\": \"Failed\", \"reason\": \"CommandFailed\", \"message\": \"m\"}"}}})",
       {},
       "Ready",
       "False Finished: The MiniCluster has ended."},
      {"tried too often",
       "{}",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "BackoffLimitExceeded", "message": "Job has reached the limit"}]}})",
       {R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 241, "message": "no flux"}}}]}})"},
       "Failed",
       "True BackoffLimitExceeded: Job has reached the limit; pod sample-0, container sample ended "
       "with code 241: no flux"},
  };
  for (const ProgressCase& c : cases) {
    Observed seen = test::observed(test::cluster(c.cluster));
    if (*c.job != '\0') {
      seen.owned.push_back(std::make_shared<const json>(test::job(c.job)));
    }
    for (std::size_t i = 0; i < c.pods.size(); ++i) {
      seen.pods.push_back(test::pod(std::to_string(i).c_str(), c.pods[i]));
    }
    EXPECT_EQ(condition(status_of(seen), c.type), c.expected) << c.name;
  }
}

Snapshot refusal(const char* version, const std::string& message, const char* time = "") {
  json event = json::parse(R"({"metadata": {"name": "e", "namespace": "lab"},
      "involvedObject": {"kind": "Job", "name": "sample", "uid": "job-uid"},
      "reason": "FailedCreate"})");
  event["metadata"]["resourceVersion"] = version;
  event["message"] = message;
  event["lastTimestamp"] = time;
  return std::make_shared<const json>(reduce_refusal(event));
}

// A suspended Job of sample with `job_patch`, and its Workload from Kueue.
Observed in_queue(const char* job_patch) {
  json job = test::job(R"({"spec": {"suspend": true}})");
  job.merge_patch(json::parse(job_patch));
  Observed seen = test::observed(test::cluster(), {job});
  seen.workloads.push_back(std::make_shared<const json>(
      json({{"kind", "Workload"},
            {"why", {{"reason", "Inadmissible"}, {"message", "LocalQueue x doesn't exist"}}}})));
  return seen;
}

TEST(Status, KueuesWordIsPhaseReasonAndSentence) {
  const json of = status_of(in_queue("{}"));
  EXPECT_EQ(of["phase"], "Queued");
  EXPECT_EQ(condition(of, "Ready"), "False Inadmissible: LocalQueue x doesn't exist");
  EXPECT_EQ(condition(of, "Suspended"), "True Queued: LocalQueue x doesn't exist");
}

TEST(Status, KueuesWordIsNotAboutAJobThatRunsOrThatWeHold) {
  const json ours = status_of(
      in_queue(R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}}})"));
  EXPECT_EQ(ours["phase"], "Suspended");
  EXPECT_EQ(condition(ours, "Ready"), "False Suspended: The Job is suspended and has no pods.");
  const json runs = status_of(in_queue(R"({"spec": {"suspend": false}})"));
  EXPECT_EQ(runs["phase"], "Starting");
  EXPECT_EQ(condition(runs, "Suspended"), "");
}

TEST(Events, ThatKueueHoldsItIsNoWarning) {
  const json of = status_of(in_queue("{}"));
  for (const Event& event : events(json::object(), of)) {
    EXPECT_FALSE(event.warning) << event.reason;
  }
  EXPECT_EQ(events(status_of(test::observed(test::cluster(), {test::job()})), of).back().reason,
            "Inadmissible");
}

TEST(Status, QuotaThatRefusesPodsIsTold) {
  Observed seen = test::observed(test::cluster(), {test::job(R"({"status": {"active": 1}})")});
  seen.refusals.push_back(refusal("9", "Error creating: exceeded quota: small"));
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            "False PodsRefused: Error creating: exceeded quota: small");
  seen.refusals.push_back(refusal("10", "Error creating: forbidden by policy"));
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            "False PodsRefused: Error creating: forbidden by policy");
}

// The Job controller requests another pod each time, and client-go aggregates similar events.
TEST(Status, WhatIsRefusedAgainAndAgainIsOneMessage) {
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

TEST(Status, ARefusalIsPastOnceAPodWasMadeAfterIt) {
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

Snapshot mount_failure(const char* pod, const char* message, const char* time) {
  json event = json::parse(R"({"metadata": {"name": "e", "namespace": "lab"},
      "involvedObject": {"kind": "Pod"}, "reason": "FailedMount"})");
  event["involvedObject"]["name"] = std::string(pod) + "-abcde";
  event["involvedObject"]["uid"] = pod;
  event["message"] = message;
  event["lastTimestamp"] = time;
  return std::make_shared<const json>(reduce_mount_failure(event));
}

// Observed on a busy node, for every volume of a pod that started a second later.
TEST(Status, AKubeletThatCatchesUpIsNoTrouble) {
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

TEST(Status, AVolumeThatCannotBeHadIsToldUntilTheContainersStart) {
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

// The states of two brokers' pods on the way to each end, and the last reported phase.
TEST(Status, FromTheCommandsEndOnThePhaseDoesNotGoBack) {
  const auto lead = [](int code) {
    return R"({"status": {"phase": ")" + std::string(code == 0 ? "Succeeded" : "Failed") +
           R"(", "containerStatuses": [{"name": "sample", "state": {"terminated": {"exitCode": )" +
           std::to_string(code) + R"(, "finishedAt": "2026-01-01T00:01:00Z"}}}]}})";
  };
  const std::string told =
      R"({"status": {"phase": "Succeeded", "containerStatuses": [{"name": "sample", "state":
          {"terminated": {"exitCode": 0, "message": "the command ended with code 7",
                          "finishedAt": "2026-01-01T00:01:00Z"}}}]}})";
  const struct {
    const char* name;
    std::string lead, follower;
    const char* before;
    const char* phase;
    const char* reason;
  } cases[] = {
      {"all run", kReadyPod, kReadyPod, "Running", "Running", "QuorumReached"},
      {"the followers were told and have gone", kReadyPod, told, "Running", "Running", "Finished"},
      {"the lead has ended first", lead(0), kReadyPod, "Running", "Running", "Finished"},
      {"the command failed", lead(7), kReadyPod, "Running", "Running", "Finished"},
      {"it failed before it was seen ready", lead(7), kReadyPod, "Starting", "Starting",
       "Finished"},
      {"the status was lost", lead(7), kReadyPod, "", "Running", "Finished"},
      {"the lead is tried again", lead(246), kReadyPod, "Running", "Starting", "PodFailing"},
  };
  for (const auto& c : cases) {
    json cluster = test::cluster();
    if (*c.before != '\0') cluster["status"]["phase"] = c.before;
    Observed seen = test::observed(cluster, {test::job(R"({"status": {"ready": 2}})")});
    seen.pods = {test::pod("0", c.lead.c_str()), test::pod("1", c.follower.c_str())};
    const json now = status_of(seen);
    EXPECT_EQ(now["phase"], c.phase) << c.name;
    EXPECT_EQ(member_of(now, "Ready", "reason"), c.reason) << c.name;
    EXPECT_EQ(now["ready"], c.lead == kReadyPod ? 2 : 1) << c.name;
  }
}

TEST(Status, AFollowerThatFailedIsNotReadyForAsLongAsTheJobSaysSo) {
  Observed seen = test::observed(test::cluster(), {test::job(R"({"status": {"ready": 2}})")});
  seen.pods = {test::pod("0", kReadyPod), test::pod("1", R"({"status": {"phase": "Failed",
      "containerStatuses": [{"name": "sample", "state": {"terminated": {"exitCode": 247}}}]}})")};
  const json now = status_of(seen);
  EXPECT_EQ(now["ready"], 1);
  EXPECT_EQ(now["phase"], "Starting");
  EXPECT_EQ(member_of(now, "Ready", "reason"), "PodFailing");
}

TEST(Status, AThousandPodsInTroubleMakeOneMessage) {
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
TEST(Status, APodThatFailsAgainAndAgainIsOneTroubleUntilItRuns) {
  Observed seen = test::observed(test::cluster(), {test::job()});
  const auto ready = [&] {
    const json now = status_of(seen);
    return api::find_condition(now.at("conditions"), "Ready")->at("reason").get<std::string>();
  };
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

TEST(Status, AChangeThatIsNotAppliedNamesItsField) {
  const Observed before = test::observed(test::cluster());
  Observed seen = test::after(before, test::planned(before));
  json changed = *before.cluster;
  changed["spec"]["containers"][0]["image"] = "other:1";
  changed["spec"]["tasks"] = 4;
  seen.cluster = std::make_shared<const json>(changed);
  const char* const kWhy =
      ": Forbidden: was changed and is not applied to the running Job: change it back, or delete "
      "the MiniCluster and create it again";
  EXPECT_EQ(condition(status_of(seen), "Accepted"),
            std::string("False NotApplied: [spec.containers[0].image") + kWhy + ", spec.tasks" +
                kWhy + "]");
}

TEST(Status, TheSizeAtCreationIsTheCeilingWithoutTheWebhookToo) {
  const Observed before = test::observed(test::cluster());
  Observed seen = test::after(before, test::planned(before));
  json changed = *before.cluster;
  changed["spec"]["size"] = 3;
  seen.cluster = std::make_shared<const json>(changed);
  EXPECT_EQ(
      condition(status_of(seen), "Accepted"),
      "False Invalid: spec.size: Invalid value: 3: must be less than or equal to spec.maxSize "
      "(2)");
}

// An earlier operator, or one without its webhook, accepted it.
TEST(Status, AnUnknownFieldOfAKubernetesTypeIsToldUntilTheJobWasMade) {
  const json with_typo = test::cluster(R"({"spec": {"pod": {"securityContext": {"fsgroup": 5}}}})");
  const Observed seen = test::observed(with_typo);
  EXPECT_EQ(condition(status_of(seen), "Accepted"),
            "False Invalid: spec.pod.securityContext.fsgroup: Forbidden: unknown field, did you "
            "mean \"fsGroup\"?");
  EXPECT_TRUE(test::planned(seen).create.empty());
  EXPECT_TRUE(examine(seen, api::FieldValidation::Warn).errors.empty());
  const Observed running = test::observed(with_typo, {test::job()});
  EXPECT_EQ(condition(status_of(running), "Accepted"), "True Valid: The spec is valid.");
  Observed ended = test::observed(with_typo, {test::ended_job("Complete")});
  json object = with_typo;
  object["status"] = status_of(ended);
  ended = test::observed(object);
  EXPECT_EQ(condition(status_of(ended), "Accepted"), "True Valid: The spec is valid.");
}

TEST(Events, TellOfTroubleAndTheEndButNotOfWhatIsOnItsWay) {
  const auto told = [](const char* type, const char* status, const char* reason) {
    const json after = {
        {"conditions",
         json::array(
             {{{"type", type}, {"status", status}, {"reason", reason}, {"message", "m"}}})}};
    const std::vector<Event> news = events(json(), after);
    if (news.empty()) return std::string();
    return std::string(news[0].warning ? "Warning " : "Normal ") + news[0].reason;
  };
  EXPECT_EQ(told("Ready", "False", "Starting"), "");
  EXPECT_EQ(told("Ready", "False", "Suspended"), "");
  EXPECT_EQ(told("Ready", "False", "Finished"), "");
  EXPECT_EQ(told("Ready", "False", "ImagePullFailed"), "Warning ImagePullFailed");
  EXPECT_EQ(told("Ready", "True", "QuorumReached"), "Normal QuorumReached");
  EXPECT_EQ(told("Suspended", "True", "Queued"), "Normal Queued");
  EXPECT_EQ(told("Complete", "True", "CommandSucceeded"), "Normal CommandSucceeded");
  EXPECT_EQ(told("Failed", "True", "CommandFailed"), "Warning CommandFailed");
}

TEST(Events, TellOfTheEndOnce) {
  const auto condition = [](const char* type, const char* status) {
    return json(
        {{"type", type}, {"status", status}, {"reason", "CommandFailed"}, {"message", "m"}});
  };
  const json after = {
      {"conditions", json::array({condition("Ready", "False"), condition("Failed", "True")})}};
  EXPECT_EQ(events(json(), after).size(), 1U);
}

TEST(Events, OneForEachConditionWhoseReasonChanged) {
  const json invalid = status_of(test::observed(test::cluster(R"({"spec": {"size": 0}})")));
  const json valid = status_of(test::observed(test::cluster()));
  using Reasons = std::vector<std::string>;
  const auto reasons = [](const json& before, const json& after) {
    Reasons out;
    for (const Event& event : events(before, after)) {
      out.push_back((event.warning ? "Warning " : "Normal ") + event.reason);
    }
    return out;
  };
  EXPECT_EQ(reasons(json(), invalid), (Reasons{"Warning Invalid"}));
  EXPECT_EQ(reasons(json(), valid), (Reasons{"Normal Created"}));
  EXPECT_EQ(reasons(valid, valid), Reasons{});
  EXPECT_EQ(reasons(invalid, valid), (Reasons{"Normal Valid", "Normal Created"}));
}

}  // namespace
}  // namespace mc::controller
