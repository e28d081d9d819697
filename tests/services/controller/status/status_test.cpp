#include <gtest/gtest.h>

#include "common/api/model/conditions.h"
#include "services/controller/status/events.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/services/controller/status/status_of.h"

namespace mc::controller {
namespace {

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

// A deadline: the Job controller says that the Job fails, deletes the pods, and then says it has.
TEST(Status, APhaseNeverGoesBackWhileTheJobEnds) {
  for (const char* type : {"FailureTarget", "SuccessCriteriaMet"}) {
    for (const char* phase : {"Running", "Starting"}) {
      json job = test::job();
      job["status"]["conditions"] = {
          {{"type", type}, {"status", "True"}, {"reason", "DeadlineExceeded"}}};
      Observed seen = test::observed(test::cluster(), {job});
      test::patch_cluster(seen, {{"status", {{"phase", phase}}}});
      EXPECT_EQ(status_of(seen)["phase"], phase) << type;
    }
  }
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
  const Outcome conflict = {.conflicts = {"Service db"}};
  EXPECT_EQ(condition(status_of(seen, conflict), "ObjectsReady"),
            "False NameTaken: Service db: an object of that name exists and does not belong to "
            "this MiniCluster. The MiniCluster waits until that object is deleted.");
  const Outcome headless = {.conflicts = {"Service sample (of MiniCluster other)"}};
  EXPECT_EQ(
      condition(status_of(seen, headless), "ObjectsReady"),
      "False NameTaken: Service sample (of MiniCluster other): an object of that name exists and "
      "does not belong to this MiniCluster. The MiniCluster waits until that object is deleted. "
      "Alternatively, create the MiniCluster again with another spec.network.headlessName, or with "
      "useExistingService to share that Service.");
  const Outcome unusable = {.unusable_service = "Service hpc has no selector"};
  EXPECT_EQ(condition(status_of(seen, unusable), "ObjectsReady"),
            "False ServiceUnusable: Service hpc has no selector");
  const Outcome refusal = {.refusals = {"create Job: quota"}};
  EXPECT_EQ(condition(status_of(seen, refusal), "ObjectsReady"),
            "False Refused: create Job: quota");
  const Outcome passing = {.errors = {{ErrorKind::Unavailable, "x", 0}}};
  EXPECT_EQ(condition(status_of(seen, passing), "ObjectsReady"), "");
}

// `seen` with this status.
Observed with_status(Observed seen, const json& stored) {
  test::patch_cluster(seen, {{"status", stored}});
  return seen;
}

TEST(Status, AnObjectThatCannotBeCreatedIsReportedAfterAMinute) {
  const Outcome timeout = {.errors = {{ErrorKind::Unavailable, "create Job: 504", 0}},
                           .failed_creates = {"create Job: 504"}};
  const Observed seen = test::observed(
      test::cluster(R"({"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}})"));
  const json early = status_of(seen, timeout, "2026-01-01T00:00:59Z");
  EXPECT_EQ(condition(early, "ObjectsReady"), "");
  EXPECT_EQ(condition(early, "Ready"), "False Starting: There is no Job yet.");
  const json later = status_of(with_status(seen, early), timeout, kLater);
  EXPECT_EQ(condition(later, "ObjectsReady"), "False FailedCreate: create Job: 504");
  EXPECT_EQ(condition(later, "Ready"), "False FailedCreate: There is no Job: see ObjectsReady.");
}

TEST(Status, AJobThatCannotBeRecreatedIsReportedAtOnce) {
  const Observed with_job = test::observed(test::cluster(), {test::job("{}")});
  const json before = status_of(with_ready_pods(with_job, 2));
  ASSERT_EQ(condition(before, "ObjectsReady").substr(0, 12), "True Created");
  const Outcome refused = {.errors = {{ErrorKind::Unavailable, "create Job: 500", 0}},
                           .failed_creates = {"create Job: 500"}};
  Observed without = with_status(test::observed(test::cluster()), before);
  without.gone = GoneJob{test::shared(read_job(test::job())), true};
  const json after = status_of(without, refused);
  EXPECT_EQ(condition(after, "ObjectsReady"), "False FailedCreate: create Job: 500");
  EXPECT_EQ(condition(after, "Ready"), "False FailedCreate: There is no Job: see ObjectsReady.");
}

// Two of a MiniCluster whose Job is gone, with what is known of it.
std::string end_of(std::optional<GoneJob> gone, Pods pods = {}, Outcome outcome = {}) {
  const Observed with_job = test::observed(test::cluster(), {test::job()});
  Observed seen = with_status(test::observed(test::cluster()), status_of(with_job));
  seen.gone = std::move(gone);
  seen.pods = std::move(pods);
  const json of = status_of(seen, std::move(outcome));
  return text_at(of, {"phase"}) + ", " + condition(of, "Complete") + condition(of, "Failed");
}

TEST(Status, TheEndOfAJobThatWasDeletedAtOnceIsItsOwn) {
  const auto gone = [](const json& job) { return GoneJob{test::shared(read_job(job)), true}; };
  EXPECT_EQ(end_of(gone(test::ended_job("Complete"))),
            "Succeeded, True CommandSucceeded: The lead broker's command ended with code 0.");
  json failed = test::ended_job("Failed");
  failed["status"]["conditions"][0].update(
      {{"reason", "PodFailurePolicy"},
       {"message", "Container sample for pod lab/sample-0-x failed with exit code 3 matching"}});
  EXPECT_EQ(end_of(gone(failed)),
            "Failed, True CommandFailed: The command or a snippet ended with code 3; pod "
            "sample-0-x and its log are gone.");
  EXPECT_EQ(end_of(gone(test::job())), "Pending, ");
  EXPECT_EQ(end_of(std::nullopt), "Starting, ") << "as it was, until the API server was asked";
  EXPECT_EQ(
      end_of(std::nullopt, {},
             {.end_of_lost_job = api::Condition{"Failed", true, "JobLost", "The Job is gone."}}),
      "Failed, True JobLost: The Job is gone.");
}

TEST(Status, TheExitCodeIsThatOfTheCommandThatHasEnded) {
  const auto code = [](const json& job) {
    return at_path(status_of(test::observed(test::cluster(), {job})), {"exitCode"});
  };
  EXPECT_EQ(code(test::job()), json());
  EXPECT_EQ(code(test::ended_job("Complete")), 0);
  json failed = test::ended_job("Failed");
  failed["status"]["conditions"][0].update({{"reason", "DeadlineExceeded"}, {"message", "late"}});
  EXPECT_EQ(code(failed), json());
  failed["status"]["conditions"][0].update(
      {{"reason", "PodFailurePolicy"},
       {"message", "Container sample for pod lab/sample-0-x failed with exit code 3 matching"}});
  EXPECT_EQ(code(failed), 3);
}

TEST(Status, TheExitCodeOfAnEndStays) {
  const json before = status_of(test::observed(test::cluster(), {test::ended_job("Complete")}));
  EXPECT_EQ(status_of(with_status(test::observed(test::cluster()), before))["exitCode"], 0);
}

TEST(Status, ARestoredEndIsTheEndAndClaimsNoObjects) {
  json object = test::cluster();
  object["metadata"]["annotations"]["flux-framework.org/end"] =
      json({{"of", "lab/sample"},
            {"type", "Failed"},
            {"reason", "CommandFailed"},
            {"message", "The command ended with code 3."},
            {"exitCode", 3}})
          .dump();
  const json of = status_of(test::observed(object));
  EXPECT_EQ(text_at(of, {"phase"}), "Failed");
  EXPECT_EQ(condition(of, "Failed"), "True CommandFailed: The command ended with code 3.");
  EXPECT_EQ(at_path(of, {"exitCode"}), 3);
  EXPECT_EQ(condition(of, "ObjectsReady"), "");
}

TEST(Status, TheJobIsRecordedOnceItsPodsMayStart) {
  const auto recorded = [](const char* job) {
    return text_at(status_of(test::observed(test::cluster(), {test::job(job)})), {"jobid"});
  };
  EXPECT_EQ(recorded("{}"), "job-uid");
  EXPECT_EQ(recorded(R"({"spec": {"suspend": true}})"), "");
}

TEST(Status, AFailedPatchSaysNothingOfTheObjectsThatExist) {
  const Observed seen = test::observed(test::cluster(), {test::job("{}")});
  const Outcome conflict = {.errors = {{ErrorKind::Conflict, "patch Job: 409", 0}}};
  const json stored = status_of(seen);
  EXPECT_EQ(condition(status_of(with_status(seen, stored), conflict, kLater), "ObjectsReady"),
            condition(stored, "ObjectsReady"));
}

TEST(Status, AFieldThatTheApiServerDroppedIsToldAndTheObjectsAreStillReady) {
  const Observed seen =
      test::observed(test::cluster(), {test::job(R"({"spec": {"successPolicy": null}})")});
  const json of = status_of(seen);
  EXPECT_EQ(condition(of, "ObjectsReady"),
            "True FieldDropped: Every object exists, but the API server dropped "
            "spec.successPolicy of the Job, so the Job ends only when every pod has ended, not "
            "when the lead succeeds: ask an administrator to enable the feature gate "
            "JobSuccessPolicy.");
  const std::vector<StatusEvent> told = events_of(json(), of);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].warning);
  EXPECT_EQ(told[0].reason, "FieldDropped");
  EXPECT_TRUE(events_of(of, status_of(seen, {}, kLater)).empty()) << "told once";
}

// `kubectl get` shows the reason of Ready; otherwise nothing would explain why there are no pods.
TEST(Status, ReadyNamesTheConditionThatKeepsTheJobFromBeingMade) {
  const json invalid = status_of(test::observed(test::cluster(R"({"spec": {"size": 0}})")));
  EXPECT_EQ(condition(invalid, "Ready"), "False Invalid: There is no Job: see Accepted.");
  const Observed seen = test::observed(test::cluster());
  const Outcome refusal = {.refusals = {"create Job: quota"}};
  EXPECT_EQ(condition(status_of(seen, refusal), "Ready"),
            "False Refused: There is no Job: see ObjectsReady.");
  EXPECT_EQ(condition(status_of(seen), "Ready"), "False Starting: There is no Job yet.");
}

TEST(Status, AnObjectThatIsBeingDeletedIsWaitedFor) {
  const json of = status_of(test::observed(
      test::cluster(),
      {test::job(R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})")}));
  EXPECT_EQ(condition(of, "ObjectsReady"),
            "False BeingDeleted: Job sample is being deleted, and will be recreated.");
}

TEST(Status, TheServicesPodOfAJobThatIsHeldIsNotMissed) {
  const json cluster = test::cluster(R"({"spec": {"services": [{"name": "db", "image": "x:1"}]}})");
  const json going = {{"kind", "Pod"},
                      {"metadata", {{"name", "sample-services"}, {"deletionTimestamp", kNow}}}};
  const json held = test::job(R"({"spec": {"suspend": true}})");
  EXPECT_EQ(condition(status_of(test::observed(cluster, {held, going})), "ObjectsReady"),
            "True Created: Every object exists except the ConfigMap and the services pod, which "
            "wait for the Job to start.");
  EXPECT_EQ(condition(status_of(test::observed(cluster, {test::job(), going})), "ObjectsReady"),
            "False BeingDeleted: Pod sample-services is being deleted, and will be recreated.");
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

TEST(Status, AChangeThatIsNotAppliedNamesItsField) {
  Observed seen = test::made();
  test::patch_cluster(seen, R"({"spec": {"tasks": 4, "containers": [
      {"image": "other:1", "command": "hostname"}]}})"_json);
  const char* const kWhy =
      ": Forbidden: was changed and is not applied to the running Job: change it back, or delete "
      "the MiniCluster and create it again";
  EXPECT_EQ(condition(status_of(seen), "Accepted"),
            std::string("False NotApplied: [spec.containers[0].image") + kWhy + ", spec.tasks" +
                kWhy + "]");
}

TEST(Status, TheSizeAtCreationIsTheCeilingWithoutTheWebhookToo) {
  Observed seen = test::made();
  test::patch_cluster(seen, R"({"spec": {"size": 3}})"_json);
  EXPECT_EQ(
      condition(status_of(seen), "Accepted"),
      "False Invalid: spec.size: Invalid value: 3: must be less than or equal to spec.maxSize "
      "(2)");
}

// Whoever stored it did not ask for its refusal, or no webhook was there.
TEST(Status, AnUnknownFieldOfAKubernetesTypeIsToldAndTheMiniClusterRuns) {
  const json with_typo = test::cluster(R"({"spec": {"pod": {"securityContext": {"fsgroup": 5}}}})");
  const std::string told =
      "True UnknownField: The spec is valid, but Kubernetes probably drops "
      "spec.pod.securityContext.fsgroup: unknown field, did you mean \"fsGroup\"?";
  const Observed seen = test::observed(with_typo);
  const json first = status_of(seen);
  EXPECT_EQ(condition(first, "Accepted"), told);
  EXPECT_FALSE(test::planned(seen).create.empty());
  EXPECT_EQ(condition(status_of(test::observed(with_typo, {test::job()})), "Accepted"), told);
  const std::vector<StatusEvent> sent = events_of(json(), first);
  const auto warning = std::ranges::find(sent, "UnknownField", &StatusEvent::reason);
  ASSERT_NE(warning, sent.end());
  EXPECT_TRUE(warning->warning);
  EXPECT_EQ(std::ranges::count(events_of(first, first), "UnknownField", &StatusEvent::reason), 0);
}

// Otherwise the end of the new one would be looked for under the name of the old one.
TEST(Status, AnOlderJobIsNoLongerRecordedOnceAnotherWaitsToStart) {
  const char* const recorded = R"({"status": {"jobid": "old", "conditions": [
      {"type": "Accepted", "status": "True"}]}})";
  const auto jobid = [&](const char* job_patch) {
    return status_of(test::observed(test::cluster(recorded), {test::job(job_patch)}))["jobid"];
  };
  EXPECT_EQ(jobid(R"({"spec": {"suspend": true}})"), "");
  EXPECT_EQ(jobid(R"({"spec": {"suspend": true}, "metadata": {"uid": "old"}})"), "old");
  EXPECT_EQ(jobid("{}"), "job-uid");
}

TEST(Status, EveryEndHasATime) {
  const json of = status_of(test::observed(test::cluster(), {test::ended_job("Complete")}));
  EXPECT_EQ(of["completionTime"], kNow);
}

}  // namespace
}  // namespace mc::controller
