#include <gtest/gtest.h>

#include "common/base/version.h"
#include "services/controller/reconcile/plan.h"
#include "tests/services/controller/observed_builder.h"

// That the command runs once: what is created again, and what the pods wait for.
namespace mc::controller {
namespace {

using Names = std::vector<std::string>;

TEST(Plan, AJobIsMadeAgainOnlyIfTheLastOneWasSeenToGoBeforeItsEnd) {
  const Observed before = test::made();
  const Shared<Job> job = before.jobs.at(0);
  Job complete = *job;
  complete.conditions.complete = Reason();
  Job of_another_uid = *job;
  of_another_uid.metadata.uid = "an earlier Job's";
  struct Case {
    const char* name;
    std::optional<GoneJob> gone;
    bool again;
  };
  for (const Case& c :
       {Case{"seen to go", GoneJob{job, true}, true},
        Case{"nobody saw it go", GoneJob{job, false}, false},
        Case{"the controller was down", std::nullopt, false},
        Case{"had ended", GoneJob{test::shared(complete), true}, false},
        Case{"had ended, nobody saw it go", GoneJob{test::shared(complete), false}, false},
        Case{"an earlier one", GoneJob{test::shared(of_another_uid), true}, false}}) {
    Observed seen = before;
    test::lose(seen, "Job");
    seen.gone = c.gone;
    EXPECT_EQ(!test::planned(seen).empty(), c.again) << c.name;
    seen.has_unseen_job = true;
    EXPECT_FALSE(test::planned(seen).empty()) << c.name << ", but only the caches lack it";
  }
  Observed without_status = before;
  test::lose(without_status, "Job");
  without_status.gone = GoneJob{job, false};
  test::patch_cluster(without_status, {{"status", nullptr}});
  EXPECT_TRUE(test::planned(without_status).empty()) << "its pods had their ConfigMap";
  test::lose(without_status, "ConfigMap");
  EXPECT_FALSE(test::planned(without_status).empty()) << "they never had it";
  Observed never_started = test::made(R"({"spec": {"suspend": true}})");
  test::lose(never_started, "Job");
  EXPECT_FALSE(test::planned(never_started).empty());
}

TEST(Plan, WhatWasRestoredWithItsEndDoesNotRunAgainAndARenamedCopyDoes) {
  const auto with_end_of = [](const char* name) {
    json object = test::cluster();
    object["metadata"]["annotations"]["flux-framework.org/end"] =
        json({{"of", name}, {"type", "Complete"}, {"reason", "CommandSucceeded"}}).dump();
    return test::planned(test::observed(object)).empty();
  };
  EXPECT_TRUE(with_end_of("lab/sample"));
  EXPECT_FALSE(with_end_of("lab/another"));
}

// The scripts are made of what is current then.
TEST(Plan, ThePodsOfASuspendedJobWaitForTheirScriptsAlsoWhenTheSizeChanges) {
  Observed seen = test::made(R"({"spec": {"suspend": true, "maxSize": 4}})");
  EXPECT_EQ(test::names(test::planned(seen)), Names{}) << "while it is suspended";
  test::patch_cluster(seen, {{"spec", {{"size", 3}}}});
  const Plan todo = test::planned(seen);
  ASSERT_EQ(todo.patch.size(), 1U);
  const json& annotations = todo.patch[0].body["metadata"]["annotations"];
  EXPECT_EQ(annotations["flux-framework.org/quorum"], "3");
  test::patch_job(seen, {{"spec", {{"suspend", false}}}});
  const Plan next = test::planned(seen);
  EXPECT_TRUE(next.create.empty());
  ASSERT_EQ(next.create_once_recorded.size(), 1U);
  EXPECT_EQ(next.create_once_recorded[0].object["kind"], "ConfigMap");
  test::record(seen, "another Job's uid");
  EXPECT_EQ(test::planned(seen).create_once_recorded.size(), 1U);
  test::record(seen, "job-uid");
  EXPECT_EQ(test::planned(seen).create.size(), 1U) << "after a crash in between";
}

TEST(Plan, TheEndIsKeptInAnAnnotationOnce) {
  Observed seen = test::observed(test::cluster(
      R"({"status": {"conditions": [{"type": "Failed", "status": "True", "reason": "CommandFailed",
                                     "message": "The command ended with code 3."}]}})"));
  const Plan todo = test::planned(seen);
  ASSERT_EQ(todo.patch.size(), 1U);
  EXPECT_EQ(todo.patch[0].target.kind, "MiniCluster");
  test::patch_cluster(seen, todo.patch[0].body);
  EXPECT_TRUE(test::planned(seen).empty());
}

// Its pods would mount files that this version does not make.
TEST(Plan, AJobOfAnotherVersionIsMadeAnewOnlyIfItsFilesHaveOtherNames) {
  Observed seen = test::made(R"({"spec": {"suspend": true}})");
  const std::string made = seen.find_job("sample")->notes.scripts;
  const std::string names = made.substr(made.find(' ') + 1);
  const auto replaced = [&](const std::string& record) {
    test::patch_job(seen, {{"metadata", {{"annotations", {{api::kScriptsAnnotation, record}}}}}});
    return !test::planned(seen).remove.empty();
  };
  EXPECT_FALSE(replaced(version() + " " + names));
  EXPECT_FALSE(replaced("0.0.1 " + names));
  EXPECT_TRUE(replaced("0.0.1 others"));
}

}  // namespace
}  // namespace mc::controller
