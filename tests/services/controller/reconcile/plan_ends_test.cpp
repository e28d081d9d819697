#include <gtest/gtest.h>

#include "services/controller/cluster/end_text.h"
#include "services/controller/interpret/gone_job.h"
#include "services/controller/reconcile/plan.h"
#include "tests/services/controller/observed_builder.h"

// What the plan does at the end of a MiniCluster: the Job is told of it, and then all is cleaned
// up.
namespace mc::controller {
namespace {

// All objects of the plan exist, with these pods.
Observed running(const char* cluster_patch, Pods pods) {
  Observed seen = test::made(cluster_patch);
  seen.pods = std::move(pods);
  return seen;
}

// What keeps the end of this MiniCluster.
std::string end_annotation_of(const json& cluster) {
  const MiniCluster read = read_mini_cluster(cluster);
  return end_text_of(read, *final_condition(read.status));
}

// The annotation that the only patch sets; empty if there is no patch.
std::string end_of(const Plan& todo) {
  EXPECT_LE(todo.patch.size(), 1U);
  if (todo.patch.empty()) return "";
  EXPECT_EQ(todo.patch[0].body["spec"],
            json::parse(R"({"backoffLimit": 0, "activeDeadlineSeconds": 1})"));
  const json end = json::parse(
      todo.patch[0].body["metadata"]["annotations"]["flux-framework.org/end"].get<std::string>());
  return end["reason"].get<std::string>() + ": " + end["message"].get<std::string>();
}

TEST(Plan, WithOnFailureTheJobGivesUpWhenTheCommandHasFailed) {
  const auto ended = [](int code, const char* message = "") {
    json patch = {{"status", {{"containerStatuses", json::array({{{"name", "sample"}}})}}}};
    patch["status"]["containerStatuses"][0]["lastState"]["terminated"] = {{"exitCode", code},
                                                                          {"message", message}};
    return Pods{test::pod("0", patch.dump().c_str())};
  };
  const char* const kOnFailure = R"({"spec": {"pod": {"restartPolicy": "OnFailure"}}})";
  for (const int code : {0, 137, 241, 246, 247, 249}) {
    EXPECT_EQ(end_of(test::planned(running(kOnFailure, ended(code)))), "") << code;
  }
  EXPECT_EQ(end_of(test::planned(running(kOnFailure, ended(7)))),
            "CommandFailed: The command ended with code 7.");
  EXPECT_EQ(end_of(test::planned(
                running(kOnFailure, ended(3, "minicluster: error: pre ended with code 3\n")))),
            "SnippetFailed: pod sample-0: pre ended with code 3.");
  EXPECT_EQ(end_of(test::planned(running("{}", ended(7)))), "") << "the Job's policy ends it";
}

constexpr const char* kToldFollower = R"({"status": {"phase": "Succeeded", "containerStatuses": [
    {"name": "sample", "state": {"terminated": {"exitCode": 0,
     "message": "the command ended with code 7", "finishedAt": "2026-01-01T00:01:00Z"}}}]}})";

TEST(Plan, TheEndThatALostLeadToldIsThatOfTheJob) {
  EXPECT_EQ(end_of(test::planned(running("{}", {test::pod("1", kToldFollower)}))),
            "CommandFailed: The command ended with code 7; the lead's pod was lost before it could "
            "report it.");
}

// A pod whose container that runs Flux has ended at 0:00:10, and in which `others` still run.
Pods held(const char* index, int code, std::vector<std::string> others) {
  json statuses = json::array(
      {{{"name", "sample"},
        {"state",
         {{"terminated", {{"exitCode", code}, {"finishedAt", "2026-01-01T00:00:10Z"}}}}}}});
  for (const std::string& name : others) {
    statuses.push_back(
        {{"name", name}, {"state", {{"running", {{"startedAt", "2026-01-01T00:00:00Z"}}}}}});
  }
  const json patch = {{"status", {{"phase", "Running"}, {"containerStatuses", statuses}}}};
  return {test::pod(index, patch.dump().c_str())};
}

constexpr std::chrono::seconds kIn39{39}, kIn40{40};

TEST(Plan, AnEndThatAnInjectedContainerHoldsIsThatOfTheJobAfterAGrace) {
  const Observed seen = running("{}", held("0", 0, {"istio-proxy"}));
  const Plan before = test::planned(seen, test::kNow + kIn39);
  EXPECT_TRUE(before.empty());
  EXPECT_EQ(before.requeue_after, std::chrono::seconds(1));
  EXPECT_EQ(end_of(test::planned(seen, test::kNow + kIn40)),
            "CommandSucceeded: The command ended with code 0. pod sample-0 did not end with the "
            "command, because container istio-proxy kept running; the pod was deleted after 30 s.");
  EXPECT_EQ(end_of(test::planned(running("{}", held("0", 7, {"proxy"})), test::kNow + kIn40)),
            "CommandFailed: The command ended with code 7. pod sample-0 did not end with the "
            "command, because container proxy kept running; the pod was deleted after 30 s.");
  EXPECT_EQ(end_of(test::planned(running("{}", held("1", 3, {"proxy"})), test::kNow + kIn40))
                .substr(0, 10),
            "PodFailed:");
  EXPECT_TRUE(test::planned(running("{}", held("0", 0, {})), test::kNow + kIn40).empty())
      << "the pod is about to end";
  EXPECT_TRUE(test::planned(running("{}", held("1", 0, {"proxy"})), test::kNow + kIn40).empty())
      << "a follower waits for its lead";
}

TEST(Plan, APodThatIsToBeTriedAgainAndIsHeldIsDeletedAfterAGrace) {
  const Observed seen = running("{}", held("1", 247, {"proxy"}));
  EXPECT_EQ(test::planned(seen, test::kNow + kIn39).requeue_after, std::chrono::seconds(1));
  const Plan todo = test::planned(seen, test::kNow + kIn40);
  ASSERT_EQ(todo.remove.size(), 1U);
  EXPECT_EQ(todo.remove[0].name, "sample-1");
  EXPECT_TRUE(todo.patch.empty());
}

// An end is final, whatever was written to the spec meanwhile.
TEST(Plan, AnEndIsToldToAJobThatTheSpecDoesNotReach) {
  for (const char* change : {R"({"spec": {"size": 0}})", R"({"spec": {"tasks": 7}})"}) {
    Observed seen = running("{}", {test::pod("1", kToldFollower)});
    test::patch_cluster(seen, json::parse(change));
    EXPECT_TRUE(end_of(test::planned(seen)).starts_with("CommandFailed: ")) << change;
    seen.pods.clear();
    EXPECT_TRUE(test::planned(seen).empty()) << change;
  }
}

TEST(Plan, AThirdKillForMemoryIsTheEnd) {
  const auto killed = [](const char* name) {
    json patch = {
        {"metadata", {{"name", name}}},
        {"status",
         {{"phase", "Failed"},
          {"containerStatuses",
           json::array(
               {{{"name", "sample"},
                 {"state", {{"terminated", {{"exitCode", 137}, {"reason", "OOMKilled"}}}}}}})}}}};
    return test::pod("1", patch.dump().c_str());
  };
  EXPECT_EQ(end_of(test::planned(running("{}", {killed("a"), killed("b")}))), "");
  EXPECT_EQ(end_of(test::planned(running("{}", {killed("a"), killed("b"), killed("c")}))),
            "OOMKilled: Tried 3 times; pod a, container sample was OOMKilled: raise its memory "
            "limit (resources.limits.memory).");
}

TEST(Plan, WhatTheJobWasToldToEndForStays) {
  Observed seen = running("{}", {test::pod("1", kToldFollower)});
  const Plan told = test::planned(seen);
  ASSERT_EQ(told.patch.size(), 1U);
  const auto with_job = [&](const json& patch) {
    Observed out = seen;
    test::patch_job(out, patch);
    out.pods.clear();  // the Job deletes them
    return out;
  };
  seen = with_job(told.patch[0].body);
  EXPECT_TRUE(test::planned(seen).empty());
  const Plan again = test::planned(with_job(json::parse(R"({"spec": {"backoffLimit": 6,
                                                      "activeDeadlineSeconds": 600}})")));
  ASSERT_EQ(again.patch.size(), 1U);
  EXPECT_EQ(again.patch[0].body,
            json::parse(R"({"spec": {"backoffLimit": 0, "activeDeadlineSeconds": 1}})"));
  // As written by an earlier version.
  const Observed earlier = with_job(json::parse(
      R"({"metadata": {"annotations": {"flux-framework.org/end": null,
                                       "flux-framework.org/command-failure": "7"}},
          "spec": {"backoffLimit": 0, "activeDeadlineSeconds": 1}})"));
  EXPECT_TRUE(test::planned(earlier).empty());
}

constexpr const char* kFinished =
    R"({"status": {"completionTime": "2025-12-31T23:59:00Z",
        "conditions": [{"type": "Complete", "status": "True"}]}})";

TEST(Plan, AtTheEndTheServicesGoAndNothingComesBack) {
  json object = test::cluster(kFinished);
  object["spec"]["services"] = json::array({{{"name", "db"}, {"image", "x:1"}}});
  const json pod = {{"kind", "Pod"}, {"metadata", {{"name", "sample-services"}, {"uid", "p"}}}};
  Plan todo = test::planned(test::observed(object, {pod}));
  ASSERT_EQ(todo.remove.size(), 1U);
  EXPECT_EQ(todo.remove[0].uid, "p");
  EXPECT_TRUE(todo.create.empty());
}

TEST(Plan, AFinishedMiniClusterIsDeletedWhenThatWasAskedFor) {
  const auto end = [](const char* spec) {
    json object = test::cluster(kFinished);
    object["spec"].merge_patch(json::parse(spec));
    object["metadata"]["annotations"]["flux-framework.org/end"] = end_annotation_of(object);
    return test::planned(test::observed(object));
  };
  EXPECT_TRUE(end("{}").empty());
  EXPECT_FALSE(end("{}").requeue_after.has_value());
  EXPECT_EQ(end(R"({"cleanup": true})").remove.at(0).kind, "MiniCluster");
  EXPECT_EQ(end(R"({"ttlSecondsAfterFinished": 60})").remove.size(), 1U);
  const Plan later = end(R"({"ttlSecondsAfterFinished": 90})");
  EXPECT_TRUE(later.empty());
  EXPECT_EQ(later.requeue_after, std::chrono::seconds(30));
  const Plan never = end(R"({"ttlSecondsAfterFinished": 9999999999})");
  EXPECT_TRUE(never.empty()) << "stored before admission refused it";
  EXPECT_GT(never.requeue_after, std::chrono::years(60));
}

}  // namespace
}  // namespace mc::controller
