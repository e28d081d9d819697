#include "services/controller/cache/job_pods.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "services/controller/cache/caches.h"
#include "services/controller/cache/gather.h"
#include "services/controller/cluster/read.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/pod_problems.h"

namespace mc::controller {
namespace {

constexpr const char* kUid = "job-uid";
const std::string kJob = owner_id("lab", kUid);

// A pod as the API server sends it, with a merge patch for its status.
json job_pod(const std::string& name, int index, const char* status = "{}",
             const char* created = "2026-01-01T00:00:00Z") {
  json out = {
      {"metadata",
       {{"name", name},
        {"namespace", "lab"},
        {"uid", name},
        {"creationTimestamp", created},
        {"labels",
         {{"batch.kubernetes.io/job-completion-index", std::to_string(index)},
          {"app.kubernetes.io/managed-by", "minicluster-operator"}}},
        {"ownerReferences",
         json::array(
             {{{"kind", "Job"}, {"name", "sample"}, {"uid", kUid}, {"controller", true}}})}}},
      {"status",
       {{"phase", "Running"},
        {"conditions", json::array({{{"type", "Ready"}, {"status", "True"}}})},
        {"containerStatuses",
         json::array({{{"name", "flux"},
                       {"state", {{"running", {{"startedAt", "2026-01-01T00:00:01Z"}}}}}}})}}}};
  out["status"].merge_patch(json::parse(status));
  return out;
}

Shared<Pod> read(const json& sent) { return std::make_shared<const Pod>(read_pod(sent)); }

void update(JobPods& all, const Shared<Pod>& before, const Shared<Pod>& after) {
  const kube::Stored<Pod> was(before), is(after);
  all.update({(after ? is : was).key(), was, is});
}

std::vector<std::string> names(const Pods& pods) {
  std::vector<std::string> out;
  for (const Shared<Pod>& pod : pods) out.push_back(pod->metadata.name);
  return out;
}

std::vector<std::string> read_of(const std::vector<json>& pods,
                                 IndexLabels labels = IndexLabels::Lead) {
  JobPods all(labels);
  for (const json& pod : pods) update(all, nullptr, read(pod));
  return names(all.of(kJob).read);
}

using Names = std::vector<std::string>;

TEST(JobPods, APodWithoutANodeHoldsNone) {
  JobPods all;
  const auto waits = read(job_pod("sample-0", 0, R"({"phase": "Pending"})"));
  update(all, nullptr, waits);
  EXPECT_EQ(all.holding(kJob).size(), 1U);
  EXPECT_TRUE(all.holding_nodes(kJob).empty());
  update(all, waits, read(job_pod("sample-0", 0, R"({"conditions": [
      {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]})")));
  EXPECT_EQ(all.holding_nodes(kJob).at(0).count, 1);
}

TEST(JobPods, OfFollowersThatRunOrStartOnlyTheNumberIsRead) {
  EXPECT_EQ(read_of({job_pod("lead", 0), job_pod("runs", 1),
                     job_pod("pending", 2, R"({"phase": "Pending", "containerStatuses": null})"),
                     job_pod("starts", 3, R"({"phase": "Pending", "containerStatuses":
                             [{"name": "flux", "state": {"waiting": {"reason": "PodInitializing"}}}],
                             "initContainerStatuses":
                             [{"name": "view", "state": {"terminated": {"exitCode": 0}}}]})")}),
            Names{"lead"});
}

TEST(JobPods, APodThatSaysMoreThanItsNumberIsRead) {
  for (const char* status : {
           R"({"phase": "Failed"})",
           R"({"phase": "Succeeded"})",
           R"({"conditions": [{"type": "PodScheduled", "status": "False",
                               "reason": "Unschedulable"}]})",
           R"({"conditions": [{"type": "Ready", "status": "False"},
                              {"type": "ContainersReady", "status": "True"}]})",
           R"({"containerStatuses": [{"name": "flux",
                                      "state": {"waiting": {"reason": "ErrImagePull"}}}]})",
           R"({"containerStatuses": [{"name": "flux", "state": {"terminated": {"exitCode": 0}}}]})",
           R"({"containerStatuses": [{"name": "flux", "state": {"running": {}},
                                      "lastState": {"terminated": {"exitCode": 7}}}]})",
           R"({"initContainerStatuses": [{"name": "view",
                                          "state": {"terminated": {"exitCode": 1}}}]})",
           R"({"initContainerStatuses": [{"name": "view", "state": {"terminated":
               {"exitCode": 0, "reason": "OOMKilled"}}}]})",
       }) {
    EXPECT_EQ(read_of({job_pod("pod", 1, status)}), Names{"pod"}) << status;
  }
  json deleted = job_pod("pod", 1);
  deleted["metadata"]["deletionTimestamp"] = "2026-01-01T00:01:00Z";
  EXPECT_EQ(read_of({deleted}), Names{"pod"});
  json unlabelled = job_pod("pod", 1);
  unlabelled["metadata"].erase("labels");
  EXPECT_EQ(read_of({unlabelled}), Names{"pod"});
}

TEST(JobPods, APodThatLacksTheLabelOfItsIndexIsReadIfAllAreToHaveIt) {
  json labelled = job_pod("labelled", 2);
  labelled["metadata"]["labels"]["job-index"] = "2";
  const std::vector<json> pods = {job_pod("lead", 0), job_pod("bare", 1), labelled};
  EXPECT_EQ(read_of(pods, IndexLabels::All), (Names{"lead", "bare"}));
  EXPECT_EQ(read_of(pods), Names{"lead"});
}

TEST(JobPods, TwoPodsOfAnIndexAreBothRead) {
  EXPECT_EQ(read_of({job_pod("old", 1, R"({"phase": "Failed"})"), job_pod("young", 1)}),
            (Names{"old", "young"}));
}

TEST(JobPods, OfThousandsThatRunOnlyTheLeadIsRead) {
  JobPods all;
  for (int i = 0; i < 5000; ++i) {
    update(all, nullptr, read(job_pod("pod-" + std::to_string(i), i)));
  }
  const JobPods::View view = all.of(kJob);
  EXPECT_EQ(names(view.read), Names{"pod-0"});
  EXPECT_EQ(view.counted.ready, 4999);
}

constexpr const char* kBound = R"({"conditions": [{"type": "PodScheduled", "status": "True",
    "lastTransitionTime": "2026-01-01T00:00:03Z"}]})";

TEST(JobPods, ThoseThatHaveANodeAreCountedWhetherTheyAreReadOrNot) {
  JobPods all;
  for (int i = 0; i < 3; ++i) {
    update(all, nullptr, read(job_pod("pod-" + std::to_string(i), i, kBound)));
  }
  update(all, nullptr, read(job_pod("pod-3", 3)));
  EXPECT_EQ(all.of(kJob).bound, 3);
  EXPECT_EQ(all.take_time_to_bind(kJob, 4), std::nullopt);
  EXPECT_EQ(all.take_time_to_bind(kJob, 3), std::chrono::seconds(0));
  EXPECT_EQ(all.take_time_to_bind(owner_id("lab", "another"), 1), std::nullopt);
}

TEST(JobPods, AChangeOfTheOnlyPodIsNoNewStart) {
  JobPods all;
  const Shared<Pod> pod = read(job_pod("pod", 0, kBound));
  update(all, nullptr, pod);
  EXPECT_EQ(all.take_time_to_bind(kJob, 1), std::chrono::seconds(0));
  update(all, pod, pod);
  EXPECT_EQ(all.take_time_to_bind(kJob, 1), std::nullopt);
  update(all, pod, nullptr);
  update(all, nullptr, pod);
  EXPECT_EQ(all.take_time_to_bind(kJob, 1), std::chrono::seconds(0)) << "it was started anew";
}

TEST(JobPods, ALeaderTellsNothingOfTheStartsThatItFound) {
  JobPods all;
  const Shared<Pod> pod = read(job_pod("pod", 0, kBound));
  update(all, nullptr, pod);
  all.lead();
  EXPECT_EQ(all.take_time_to_bind(kJob, 1), std::nullopt);
  update(all, pod, nullptr);
  update(all, nullptr, read(job_pod("waits", 0)));
  all.lead();
  update(all, nullptr, read(job_pod("next", 1, kBound)));
  EXPECT_EQ(all.take_time_to_bind(kJob, 1), std::chrono::seconds(0)) << "none was bound";
}

TEST(JobPods, AStartingPodWhoseVolumeCannotBeMountedIsRead) {
  Caches caches;
  const auto put = [](auto& set, json object) {
    object["metadata"]["resourceVersion"] = "5";
    set.learn(std::make_shared<const json>(std::move(object)));
  };
  put(caches.clusters, json::parse(R"({"kind": "MiniCluster", "metadata":
      {"name": "sample", "namespace": "lab", "uid": "cluster-uid"}})"));
  put(caches.jobs,
      {{"kind", "Job"},
       {"metadata",
        {{"name", "sample"},
         {"namespace", "lab"},
         {"uid", kUid},
         {"ownerReferences",
          json::array(
              {{{"kind", "MiniCluster"}, {"uid", "cluster-uid"}, {"controller", true}}})}}}});
  const std::string stuck = "sample-1-x7k2p";
  put(caches.pods, job_pod(stuck, 1, R"({"phase": "Pending", "conditions": null,
                                         "containerStatuses": null})"));
  EXPECT_EQ(gather(caches, "lab/sample")->pods.size(), 0U);
  put(caches.mount_failures,
      {{"metadata", {{"name", "told"}, {"namespace", "lab"}}},
       {"involvedObject", {{"kind", "Pod"}, {"name", stuck}, {"uid", stuck}}},
       {"message", "MountVolume.SetUp failed: secret not found"}});
  const auto seen = gather(caches, "lab/sample");
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(names(seen->pods), Names{stuck});
  const auto problem = pod_problem(seen->pods, seen->mount_failures);
  ASSERT_TRUE(problem.has_value());
  EXPECT_STREQ(problem->reason.name(), "MountFailed");
}

// What is said about the pods of a Job.
json verdict(const Pods& pods, const CountedPods& counted) {
  const Runner runner{"flux", true};
  const auto end = [](const auto& found) { return found ? found->reason + found->message : ""; };
  const auto problem = [](const auto& found) {
    return found ? found->reason.name() + found->message : "";
  };
  const Readiness now = readiness(pods, counted);
  const Pod* lead = lead_pod(pods);
  const auto refusal = std::make_shared<const Event>(
      read_refusal({{"lastTimestamp", "2026-01-01T00:00:05Z"}, {"message", "no quota"}}));
  return {{"ready", now.pods},
          {"lead ready", now.lead},
          {"lost", now.has_lost},
          {"lead", lead == nullptr ? "" : lead->metadata.name},
          {"problem", problem(pod_problem(pods, {}))},
          {"failure", end(failure(pods, runner))},
          {"lost lead", end(end_of_a_lost_lead(pods, runner))},
          {"by memory", end(end_by_memory(pods))},
          {"out of memory", out_of_memory(pods, true).value_or("")},
          {"has ended", has_command_ended(pods, runner)},
          {"refused", problem(refused_pods({refusal}, pods, counted))}};
}

// A pod with what can happen to it.
json any_pod(std::mt19937& random, int number) {
  static constexpr const char* kStatuses[] = {
      "{}",
      "{}",
      "{}",
      R"({"conditions": null})",
      R"({"phase": "Pending", "conditions": null, "containerStatuses": null})",
      R"({"phase": "Pending", "containerStatuses": null, "conditions":
          [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]})",
      R"({"phase": "Failed", "conditions": null, "reason": "Evicted"})",
      R"({"phase": "Failed", "conditions": null, "containerStatuses": [{"name": "flux", "state":
          {"terminated": {"exitCode": 7, "finishedAt": "2026-01-01T00:00:09Z"}}}]})",
      R"({"conditions": null, "containerStatuses": [{"name": "flux", "restartCount": 3,
          "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})",
      R"({"phase": "Succeeded", "conditions": null, "containerStatuses": [{"name": "flux", "state":
          {"terminated": {"exitCode": 0, "finishedAt": "2026-01-01T00:00:09Z",
                          "message": "the command ended with code 0"}}}]})",
  };
  const int index = static_cast<int>(random() % 6) - (random() % 20 == 0 ? 6 : 0);
  const std::string created = "2026-01-01T00:00:0" + std::to_string(random() % 10) + "Z";
  json out = job_pod("pod-" + std::to_string(number), index,
                     kStatuses[random() % std::size(kStatuses)], created.c_str());
  if (random() % 10 == 0) out["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:09Z";
  return out;
}

TEST(JobPods, WithNumbersAloneTheVerdictIsThatOfAllPods) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    std::mt19937 random(seed);
    JobPods all;
    std::map<int, Shared<Pod>> there;
    for (int step = 0; step < 200; ++step) {
      const int number = static_cast<int>(random() % 10);
      const Shared<Pod> before = there.contains(number) ? there[number] : nullptr;
      const Shared<Pod> after = random() % 4 == 0 ? nullptr : read(any_pod(random, number));
      if (!before && !after) continue;
      update(all, before, after);
      if (after) {
        there[number] = after;
      } else {
        there.erase(number);
      }
      Pods pods;
      for (const auto& [key, pod] : there) pods.push_back(pod);
      const JobPods::View view = all.of(kJob);
      ASSERT_EQ(verdict(view.read, view.counted), verdict(pods, {}))
          << "seed " << seed << ", step " << step;
    }
  }
}

TEST(JobPods, WhatAPodSaysOfTheJobsThatItEndedIsToldOnce) {
  JobPods all;
  const auto ended = [](const std::string& name, int index) {
    json pod = job_pod(name, index, R"({"phase": "Failed"})");
    pod["status"]["containerStatuses"][0]["state"] = {
        {"terminated",
         {{"exitCode", 249},
          {"message", "ended by a signal; jobs that still ran after 60 s were ended: fA (x)"}}}};
    return read(pod);
  };
  const auto lead = read(job_pod("lead", 0)), runs = read(job_pod("a", 1));
  update(all, nullptr, lead);
  update(all, nullptr, runs);
  EXPECT_TRUE(all.take_outlived(kJob).empty());
  update(all, runs, ended("a", 1));
  update(all, ended("a", 1), ended("a", 1));
  update(all, ended("a", 1), nullptr);
  EXPECT_EQ(all.take_outlived(kJob),
            std::vector<std::string>{"pod a: jobs that still ran after 60 s were ended: fA (x)"});
  EXPECT_TRUE(all.take_outlived(kJob).empty());
  for (int i = 0; i < 100; ++i) update(all, nullptr, ended("b" + std::to_string(i), i + 1));
  EXPECT_EQ(all.take_outlived(kJob).size(), JobPods::kMostTold);
  update(all, nullptr, ended("c", 200));
  all.lead();
  EXPECT_TRUE(all.take_outlived(kJob).empty()) << "it was another controller's to tell";
}

}  // namespace
}  // namespace mc::controller
