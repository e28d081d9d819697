#include "services/controller/plan.h"

#include <gtest/gtest.h>

#include "common/flux/curve.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

using Names = std::vector<std::string>;

TEST(Plan, EverythingIsCreatedInTheOrderOfNeed) {
  const Plan todo = test::planned(test::observed(test::cluster(
      R"({"spec": {"services": [{"name": "db", "image": "x:1"}], "containers": [
          {"runFlux": true}, {"name": "web", "image": "x:1", "ports": [80]}]}})")));
  EXPECT_EQ(test::names(todo),
            (Names{"ConfigMap sample-entrypoint-0123abcd", "Secret sample-curve-0123abcd",
                   "Service sample", "Service web", "Pod sample-services", "Job sample"}));
  ASSERT_EQ(todo.create.size(), 6U);
  EXPECT_FALSE(todo.create[3].essential) << "a sidecar's Service stops nothing";
  EXPECT_TRUE(todo.create[2].essential);
}

TEST(Plan, IsEmptyOnceItWasExecuted) {
  for (const char* patch :
       {"{}", R"({"spec": {"services": [{"name": "db", "image": "x:1"}]}})",
        R"({"spec": {"flux": {"minimalService": true}, "interactive": true}})",
        R"({"spec": {"flux": {"curveCertSecret": "my-curve"}}})",
        R"({"spec": {"pod": {"template": {"spec": {"priorityClassName": "high"}}}}})",
        R"({"spec": {"containers": [{"runFlux": true}, {"name": "web", "ports": [80]}]}})"}) {
    SCOPED_TRACE(patch);
    const Observed before = test::observed(test::cluster(patch));
    const Plan todo = test::planned(before);
    EXPECT_FALSE(todo.empty());
    EXPECT_TRUE(test::planned(test::after(before, todo)).empty());
  }
}

TEST(Plan, WhatIsMissingComesBackAndTheSecretOnlyWithTheJob) {
  const Observed before = test::observed(test::cluster());
  Observed seen = test::after(before, test::planned(before));
  const auto lose = [&](const char* kind) {
    std::erase_if(seen.owned, [&](const Snapshot& object) { return (*object)["kind"] == kind; });
  };
  lose("ConfigMap");
  EXPECT_EQ(test::names(test::planned(seen)), (Names{"ConfigMap sample-entrypoint-0123abcd"}));
  lose("Job");
  EXPECT_EQ(test::names(test::planned(seen)),
            (Names{"ConfigMap sample-entrypoint-0123abcd", "Secret sample-curve-0123abcd",
                   "Job sample"}));
}

TEST(Plan, ACertificateIsMadeOnlyWhereOneIsNeeded) {
  int made = 0;
  const auto count = [&] {
    ++made;
    return std::string("fresh");
  };
  const auto secret_of = [&](const Observed& seen) -> json {
    for (const Create& create : plan(seen, test::examined(seen), count).create) {
      if (create.object["kind"] == "Secret") return create.object["stringData"]["curve.cert"];
    }
    return nullptr;
  };
  EXPECT_EQ(secret_of(test::observed(test::cluster(), {test::job()})), nullptr);
  json with_own = test::cluster();
  const std::string own = flux::curve_certificate(flux::generate_curve_keys(), "own");
  with_own["spec"]["flux"]["curveCert"] = own;
  EXPECT_EQ(secret_of(test::observed(with_own)), own);
  const json with_secret = test::cluster(R"({"spec": {"flux": {"curveCertSecret": "my-curve"}}})");
  EXPECT_EQ(secret_of(test::observed(with_secret)), nullptr);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(secret_of(test::observed(test::cluster())), "fresh");
  EXPECT_EQ(made, 1);
}

TEST(Plan, NothingIsDoneForAnInvalidADeletedOrAFinishedMiniCluster) {
  for (const char* patch :
       {R"({"spec": {"size": 0}})",
        R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})",
        R"({"status": {"phase": "Succeeded"}})", R"({"status": {"phase": "Failed"}})"}) {
    EXPECT_TRUE(test::planned(test::observed(test::cluster(patch))).empty()) << patch;
  }
  for (const char* end : {"Complete", "Failed"}) {
    EXPECT_TRUE(test::planned(test::observed(test::cluster(), {test::ended_job(end)})).empty())
        << end;
  }
}

// The plan where all is there and the Job is as given.
Plan with_job(const char* cluster_patch, const char* job_patch) {
  const Observed before = test::observed(test::cluster(cluster_patch));
  Plan todo = test::planned(before);
  std::erase_if(todo.create, [](const Create& one) { return one.object["kind"] == "Job"; });
  Observed seen = test::after(before, todo);
  seen.owned.push_back(std::make_shared<const json>(test::job(job_patch)));
  return test::planned(seen);
}

TEST(Plan, TheJobFollowsTheSize) {
  const Plan todo = with_job(R"({"spec": {"size": 1, "maxSize": 4}})", "{}");
  ASSERT_EQ(todo.patch.size(), 1U);
  EXPECT_EQ(todo.patch[0].body, json::parse(R"({"spec": {"completions": 1, "parallelism": 1}})"));
  EXPECT_EQ(todo.patch[0].target["metadata"]["uid"], "job-uid");
  EXPECT_TRUE(todo.create.empty());
}

TEST(Plan, WhatAQueueingSystemWroteIsLeftAlone) {
  EXPECT_TRUE(with_job("{}", R"({"spec": {"parallelism": 1}})").empty()) << "partial admission";
  EXPECT_TRUE(
      with_job(R"({"spec": {"size": 1, "maxSize": 4}})", R"({"spec": {"suspend": true}})").empty());
}

}  // namespace
}  // namespace mc::controller
