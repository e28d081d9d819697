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
  const Outcome conflict = {.conflicts = {"Service sample"}, .refusals = {}, .errors = {}};
  EXPECT_EQ(condition(status_of(seen, conflict), "ObjectsReady"),
            "False NameTaken: Service sample: an object of that name exists and is not of this "
            "MiniCluster; delete or rename it, it is tried again");
  const Outcome refusal = {.conflicts = {}, .refusals = {"create Job: quota"}, .errors = {}};
  EXPECT_EQ(condition(status_of(seen, refusal), "ObjectsReady"),
            "False Refused: create Job: quota");
  const Outcome passing = {
      .conflicts = {}, .refusals = {}, .errors = {{ErrorKind::Unavailable, "x", 0}}};
  EXPECT_EQ(condition(status_of(seen, passing), "ObjectsReady"), "");
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
