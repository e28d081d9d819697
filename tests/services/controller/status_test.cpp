#include "services/controller/status.h"

#include <gtest/gtest.h>

#include "common/api/conditions.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

constexpr const char* kNow = "2026-01-01T00:00:00Z";
constexpr const char* kLater = "2026-01-01T00:01:00Z";

json status_of(const Observed& seen, const Outcome& outcome = {}, const char* now = kNow) {
  return status(seen, test::examined(seen), outcome, now);
}

// `True Reason: message` of one condition; "" where there is none.
std::string condition(const json& of, std::string_view type) {
  const json* found = api::find_condition(of["conditions"], type);
  if (found == nullptr) return "";
  return (*found)["status"].get<std::string>() + " " + (*found)["reason"].get<std::string>() +
         ": " + (*found)["message"].get<std::string>();
}

json member_of_accepted(const json& of, const char* member) {
  return (*api::find_condition(of["conditions"], "Accepted"))[member];
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
    const char* phase;
  } cases[] = {
      {"no Job yet", {}, "Pending"},
      {"a Job and no pod ready", {test::job()}, "Starting"},
      {"one of two ready", {test::job(R"({"status": {"ready": 1}})")}, "Starting"},
      {"the quorum is ready", {test::job(R"({"status": {"ready": 2}})")}, "Running"},
      {"suspended", {test::job(R"({"spec": {"suspend": true}})")}, "Suspended"},
      {"complete", {test::ended_job("Complete")}, "Succeeded"},
      {"failed", {test::ended_job("Failed")}, "Failed"},
      {"a condition that is false says nothing",
       {test::job(R"({"status": {"conditions": [{"type": "Failed", "status": "False"}]}})")},
       "Starting"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(status_of(test::observed(test::cluster(), c.owned))["phase"], c.phase) << c.name;
  }
}

TEST(Status, MinSizeIsTheQuorum) {
  const Observed seen = test::observed(test::cluster(R"({"spec": {"size": 4, "minSize": 2}})"),
                                       {test::job(R"({"status": {"ready": 2}})")});
  EXPECT_EQ(status_of(seen)["phase"], "Running");
}

TEST(Status, CountsAndTimesAreTheJobs) {
  const json of = status_of(test::observed(
      test::cluster(), {test::job(R"({"status": {"ready": 1, "active": 2, "succeeded": 0,
                                    "failed": 3, "startTime": "2026-01-01T00:00:05Z"}})")}));
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
  const Outcome conflict = {
      .conflicts = {"Service sample"}, .unseen = {}, .refusals = {}, .errors = {}};
  EXPECT_EQ(condition(status_of(seen, conflict), "ObjectsReady"),
            "False NameTaken: Service sample: an object of that name exists and is not of this "
            "MiniCluster, which waits until that one is gone");
  const Outcome refusal = {
      .conflicts = {}, .unseen = {}, .refusals = {"create Job: quota"}, .errors = {}};
  EXPECT_EQ(condition(status_of(seen, refusal), "ObjectsReady"),
            "False Refused: create Job: quota");
  const Outcome passing = {
      .conflicts = {}, .unseen = {}, .refusals = {}, .errors = {{ErrorKind::Unavailable, "x", 0}}};
  EXPECT_EQ(condition(status_of(seen, passing), "ObjectsReady"), "");
}

// `kubectl get` shows the reason of Ready, and nothing would say why there are no pods.
TEST(Status, ReadyNamesTheConditionThatKeepsTheJobFromBeingMade) {
  const json invalid = status_of(test::observed(test::cluster(R"({"spec": {"size": 0}})")));
  EXPECT_EQ(condition(invalid, "Ready"), "False Invalid: There is no Job: see Accepted.");
  const Observed seen = test::observed(test::cluster());
  const Outcome refusal = {
      .conflicts = {}, .unseen = {}, .refusals = {"create Job: quota"}, .errors = {}};
  EXPECT_EQ(condition(status_of(seen, refusal), "Ready"),
            "False Refused: There is no Job: see ObjectsReady.");
  EXPECT_EQ(condition(status_of(seen), "Ready"), "") << "it is about to be made";
}

TEST(Status, AnObjectThatIsBeingDeletedIsWaitedFor) {
  const json of = status_of(test::observed(
      test::cluster(),
      {test::job(R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})")}));
  EXPECT_EQ(condition(of, "ObjectsReady"),
            "False BeingDeleted: Job sample: is being deleted, and made again when it is gone");
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
  const char* expected;  // `True Reason: message`, "" for no such condition
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
       {},
       "Ready",
       "True QuorumReached: At least 2 pods are ready, which is enough for the command."},
      {"the quorum that the brokers were told counts",
       R"({"spec": {"size": 4, "maxSize": 4, "minSize": 3}})",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "1"}},
           "spec": {"completions": 4}, "status": {"ready": 1}})",
       {},
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
       {R"({"status": {"startTime": "2026-01-01T00:00:00Z"}})"},
       "Ready",
       "True QuorumReached: At least 2 pods are ready, which is enough for the command."},
      {"made smaller, and the lead started after that",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "4",
           "flux-framework.org/shrunk-at": "2026-01-01T00:10:00Z"}}, "status": {"ready": 2}})",
       {R"({"status": {"startTime": "2026-01-01T00:20:00Z"}})"},
       "Ready",
       "False QuorumUnreachable: The lead broker waits for 4 brokers, and the cluster was made "
       "smaller: 2. Raise spec.size to 4, or delete the MiniCluster and create it again."},
      {"never suspended", "{}", "{}", {}, "Suspended", ""},
      {"suspended by us",
       "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}},
           "spec": {"suspend": true}})",
       {},
       "Suspended",
       "True Suspended: spec.suspend holds the Job; it has no pods."},
      {"held by a queueing system",
       "{}",
       R"({"spec": {"suspend": true}})",
       {},
       "Suspended",
       "True Queued: The Job is suspended by another, as a queueing system does until there is "
       "room; "
       "it has no pods."},
      {"suspended once",
       R"({"status": {"conditions": [{"type": "Suspended", "status": "True"}]}})",
       "{}",
       {},
       "Suspended",
       "False Resumed: The Job may have pods."},
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
       "True CommandFailed: The command ended with code 7."},
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

TEST(Status, QuotaThatRefusesPodsIsTold) {
  Observed seen = test::observed(test::cluster(), {test::job(R"({"status": {"active": 1}})")});
  const auto refuse = [&](const char* version, const char* message) {
    json event = json::parse(R"({"metadata": {"name": "e", "namespace": "lab"},
        "involvedObject": {"kind": "Job", "name": "sample", "uid": "job-uid"},
        "reason": "FailedCreate"})");
    event["metadata"]["resourceVersion"] = version;
    event["message"] = message;
    seen.refusals.push_back(std::make_shared<const json>(reduce_event(event)));
  };
  refuse("9", "Error creating: exceeded quota: small");
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            "False PodsRefused: Error creating: exceeded quota: small");
  refuse("10", "Error creating: forbidden by policy");
  EXPECT_EQ(condition(status_of(seen), "Ready"),
            "False PodsRefused: Error creating: forbidden by policy");
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

// The Job makes pods of index 0 again and again, each of which fails: with the next one pending the
// trouble is still told, once it runs no more.
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

TEST(Notices, TellOfTroubleAndTheEndButNotOfWhatIsOnItsWay) {
  const auto told = [](const char* type, const char* status, const char* reason) {
    const json after = {
        {"conditions",
         json::array(
             {{{"type", type}, {"status", status}, {"reason", reason}, {"message", "m"}}})}};
    const std::vector<Notice> news = notices(json(), after);
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

TEST(Notices, TellOfTheEndOnce) {
  const auto condition = [](const char* type, const char* status) {
    return json(
        {{"type", type}, {"status", status}, {"reason", "CommandFailed"}, {"message", "m"}});
  };
  const json after = {
      {"conditions", json::array({condition("Ready", "False"), condition("Failed", "True")})}};
  EXPECT_EQ(notices(json(), after).size(), 1U);
}

TEST(Notices, OneForEachConditionWhoseReasonChanged) {
  const json invalid = status_of(test::observed(test::cluster(R"({"spec": {"size": 0}})")));
  const json valid = status_of(test::observed(test::cluster()));
  using Reasons = std::vector<std::string>;
  const auto reasons = [](const json& before, const json& after) {
    Reasons out;
    for (const Notice& notice : notices(before, after)) {
      out.push_back((notice.warning ? "Warning " : "Normal ") + notice.reason);
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
