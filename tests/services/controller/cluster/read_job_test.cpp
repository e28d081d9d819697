#include <gtest/gtest.h>

#include <string>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"
#include "common/render/job.h"
#include "services/controller/cluster/read.h"
#include "tests/services/controller/requesting.h"
#include "tests/services/controller/sent.h"

namespace mc::controller {
namespace {

TEST(ReadJob, HasWhatItsPodsRequest) {
  const Job job = read_job(render::job(test::requesting()));
  EXPECT_EQ(job.requests.at("cpu").str(), "5100m");
  EXPECT_EQ(job.requests.at("memory").str(), "1073741824");
}

TEST(ReadJob, WithoutATemplateRequestsNothing) {
  EXPECT_TRUE(read_job({{"spec", {{"parallelism", 2}}}}).requests.empty());
}

// A Job as the API server sends it.
json sent() {
  json out = json::parse(R"({
    "metadata": {"name": "sample", "namespace": "lab", "uid": "u", "resourceVersion": "7",
                 "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"a": "b"},
                 "annotations": {"another": "x"},
                 "ownerReferences": [{"kind": "MiniCluster", "name": "sample", "uid": "m",
                                      "controller": true}]},
    "spec": {"completions": 4, "parallelism": 3, "suspend": true, "backoffLimit": 9,
             "activeDeadlineSeconds": 600, "podFailurePolicy": {"rules": []}, "successPolicy": {},
             "template": {"spec": {"restartPolicy": "OnFailure",
                                   "terminationGracePeriodSeconds": 5,
                                   "containers": [{"name": "sample"}]}}},
    "status": {"ready": 1, "active": 2, "succeeded": 3, "failed": 4, "terminating": 5,
               "startTime": "2026-01-01T00:00:01Z", "completionTime": "2026-01-01T00:00:02Z",
               "conditions": []}})");
  for (const std::string_view name : api::kJobAnnotations) {
    out["metadata"]["annotations"][name] = name;
  }
  for (const char* type :
       {"Complete", "Failed", "SuccessCriteriaMet", "FailureTarget", "Suspended"}) {
    out["status"]["conditions"].push_back(
        {{"type", type}, {"status", "True"}, {"reason", "r"}, {"message", type}});
  }
  return out;
}

// The writer of the tests has every member, so nothing is read from elsewhere.
TEST(ReadJob, HasWhatTheApiServerSays) {
  json expected = sent();
  expected["kind"] = "Job";
  expected["metadata"]["annotations"].erase("another");
  expected["spec"]["podFailurePolicy"] = json::object();
  EXPECT_EQ(test::sent_job(read_job(sent())), expected);
}

TEST(ReadJob, WhatIsNotOfItsTypeIsAbsent) {
  for (const char* text : {"null", "[]", "{}", R"({"metadata": 1, "spec": [], "status": "x"})",
                           R"({"spec": {"completions": "4", "suspend": 1, "successPolicy": 7},
                               "status": {"ready": "x", "conditions": [1, {}]}})"}) {
    const Job job = read_job(json::parse(text));
    EXPECT_FALSE(job.completions || job.is_suspended || job.has_success_policy) << text;
    EXPECT_FALSE(job.conditions.complete || job.started || job.deadline) << text;
    EXPECT_EQ(job.ready, 0) << text;
    EXPECT_EQ(job.notes.size, "") << text;
  }
  json ended = sent();
  ended["status"]["conditions"][0]["status"] = "False";
  EXPECT_FALSE(read_job(ended).conditions.complete);
}

TEST(FieldsOfAJob, AreAllThatIsRead) {
  json job = render::job(test::requesting());
  job["status"] = json::parse(R"({"ready": 4, "conditions": [{"type": "Complete"}]})");
  EXPECT_EQ(test::sent_job(read_job(kube::parse_answer(job.dump(), 0, fields_of(Job::kKind)))),
            test::sent_job(read_job(job)));
}

TEST(FieldsOfAJob, AreALittleOfIt) {
  const json job = render::job(test::requesting());
  const json kept = kube::parse_answer(job.dump(), 0, fields_of(Job::kKind));
  EXPECT_LT(3 * count_values(kept, 10'000), count_values(job, 10'000));
}

}  // namespace
}  // namespace mc::controller
