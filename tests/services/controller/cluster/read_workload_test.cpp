#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "common/base/json.h"
#include "services/controller/cluster/read.h"

// The conditions are as observed with Kueue 0.19 (tests/integration/kueue_test.cpp).
namespace mc::controller {
namespace {

// A Workload as Kueue writes it for a Job, with conditions given as `Type Status Reason: Message`.
json workload(std::initializer_list<const char*> conditions) {
  json object = json::parse(R"({
    "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
    "metadata": {"name": "job-sample-0a1b2", "namespace": "lab", "uid": "w", "resourceVersion": "9",
                 "labels": {"kueue.x-k8s.io/job-uid": "job-uid"},
                 "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "sample",
                                      "uid": "job-uid", "controller": true}]},
    "spec": {"queueName": "team", "podSets": [{"name": "main", "count": 2}]},
    "status": {"conditions": []}})");
  for (const std::string text : conditions) {
    const std::size_t status = text.find(' '), reason = text.find(' ', status + 1),
                      message = text.find(": ", reason);
    object["status"]["conditions"].push_back(
        {{"type", text.substr(0, status)},
         {"status", text.substr(status + 1, reason - status - 1)},
         {"reason", text.substr(reason + 1, message - reason - 1)},
         {"message", text.substr(message + 2)}});
  }
  return object;
}

std::string told(const json& object) {
  const Workload read = read_workload(object);
  return read.why.reason + ": " + read.why.message;
}

constexpr const char* kPreempted =
    "Evicted True Preempted: Preempted to accommodate a workload (UID: u, JobUID: j) due to "
    "prioritization in the ClusterQueue";

TEST(Workload, WhatKueueSaysIsToldInItsReasonAndSentence) {
  const struct {
    const char* name;
    std::initializer_list<const char*> conditions;
    std::string told;
  } cases[] = {
      {"just made", {}, "Queued: Kueue has not yet said why the Job waits in the LocalQueue team."},
      {"no LocalQueue",
       {"QuotaReserved False Inadmissible: LocalQueue team doesn't exist"},
       "Inadmissible: LocalQueue team doesn't exist"},
      {"no quota now",
       {"QuotaReserved False Pending: couldn't assign flavors to pod set main: insufficient unused "
        "quota for cpu in flavor default, 2 more needed"},
       "Pending: couldn't assign flavors to pod set main: insufficient unused quota for cpu in "
       "flavor default, 2 more needed"},
      {"waits for a check",
       {"QuotaReserved True QuotaReserved: Quota reserved in ClusterQueue team",
        "Admitted False UnsatisfiedAdmissionChecks: The workload has not all checks ready"},
       "UnsatisfiedAdmissionChecks: The workload has not all checks ready"},
      {"has quota, and nothing is said of its admission",
       {"QuotaReserved True QuotaReserved: Quota reserved in ClusterQueue team"},
       "QuotaReserved: Quota reserved in ClusterQueue team"},
      {"admitted, and the Job is about to run",
       {"QuotaReserved True QuotaReserved: Quota reserved in ClusterQueue team",
        "Admitted True Admitted: The workload is admitted"},
       "Admitted: The workload is admitted"},
      {"being evicted",
       {"QuotaReserved True QuotaReserved: Quota reserved in ClusterQueue team",
        "Admitted True Admitted: The workload is admitted",
        "Evicted True ClusterQueueStopped: The ClusterQueue is stopped"},
       "ClusterQueueStopped: The ClusterQueue is stopped"},
      {"evicted, with what keeps it out now",
       {"QuotaReserved False Inadmissible: ClusterQueue team is inactive",
        "Evicted True ClusterQueueStopped: The ClusterQueue is stopped",
        "Requeued False ClusterQueueStopped: The ClusterQueue is stopped"},
       "ClusterQueueStopped: The ClusterQueue is stopped; ClusterQueue team is inactive"},
      {"evicted, and the queue runs again",
       {"QuotaReserved False Pending: insufficient unused quota",
        "Evicted True ClusterQueueStopped: The ClusterQueue is stopped",
        "Requeued True ClusterQueueRestarted: The ClusterQueue was restarted after being stopped"},
       "Pending: insufficient unused quota"},
      {"preempted, which queues it again at once",
       {kPreempted, "Requeued True Preempted: Preempted to accommodate a workload",
        "QuotaReserved False Pending: 2 more needed"},
       "Preempted: Preempted to accommodate a workload (UID: u, JobUID: j) due to prioritization "
       "in "
       "the ClusterQueue; 2 more needed"},
      {"preempted once",
       {"Evicted False QuotaReserved: Previously: Preempted to accommodate a workload",
        "QuotaReserved False Pending: 2 more needed"},
       "Pending: 2 more needed"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(told(workload(one.conditions)), one.told) << one.name;
  }
}

TEST(Workload, WhatIsNoReasonOfAConditionIsNotTakenForOne) {
  EXPECT_EQ(told(workload({"QuotaReserved False : nothing"})), "Queued: nothing");
  EXPECT_EQ(told(workload({"QuotaReserved False no reason!: nothing"})), "Queued: nothing");
  EXPECT_EQ(told(workload({("QuotaReserved False " + std::string(65, 'a') + ": x").c_str()})),
            "Queued: x");
}

TEST(Workload, ALongSentenceIsCutAndHasNoControlCharacters) {
  const std::string sentence = "QuotaReserved False Pending: a\nb\x1b[31m" + std::string(2000, 'c');
  const std::string text = told(workload({sentence.c_str()}));
  EXPECT_TRUE(text.starts_with("Pending: a b [31mccc")) << text.substr(0, 40);
  EXPECT_EQ(text.size(), std::string("Pending: ").size() + 1024);
}

TEST(Workload, OfAnotherKindIsKeptWithoutItsWords) {
  json other = workload({"QuotaReserved False Pending: no room"});
  EXPECT_EQ(read_workload(other).metadata.uid, "w");
  EXPECT_EQ(read_workload(other).metadata.version, 9U);
  other["metadata"]["ownerReferences"][0]["kind"] = "RayJob";
  EXPECT_EQ(told(other), ": ");
}

}  // namespace
}  // namespace mc::controller
