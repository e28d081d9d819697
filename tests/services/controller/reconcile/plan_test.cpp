#include "services/controller/reconcile/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/flux/curve.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

using ::testing::Contains;
using ::testing::Not;

using Names = std::vector<std::string>;

TEST(Plan, EverythingIsCreatedInTheOrderOfNeed) {
  const Plan todo = test::planned(test::observed(test::cluster(
      R"({"spec": {"services": [{"name": "db", "image": "x:1"}], "containers": [
          {"runFlux": true}, {"name": "web", "image": "x:1", "ports": [80]}]}})")));
  EXPECT_EQ(test::names(todo),
            (Names{"Secret sample-curve-0123abcd", "Service sample", "Service web",
                   "Pod sample-services", "Job sample", "ConfigMap sample-entrypoint-0123abcd"}));
  ASSERT_EQ(todo.create.size(), 5U);
  EXPECT_FALSE(todo.create[2].essential) << "a sidecar's Service stops nothing";
  EXPECT_TRUE(todo.create[1].essential);
}

TEST(Plan, IsEmptyOnceItWasExecuted) {
  for (const char* patch :
       {"{}", R"({"spec": {"services": [{"name": "db", "image": "x:1"}]}})",
        R"({"spec": {"flux": {"minimalService": true}, "interactive": true}})",
        R"({"spec": {"flux": {"curveCertSecret": "my-curve"}}})",
        R"({"spec": {"podDisruptionBudget": {"enabled": true}}})",
        R"({"spec": {"pod": {"template": {"spec": {"priorityClassName": "high"}}}}})",
        R"({"spec": {"containers": [{"runFlux": true}, {"name": "web", "ports": [80]}]}})"}) {
    SCOPED_TRACE(patch);
    const Observed before = test::observed(test::cluster(patch));
    const Plan todo = test::planned(before);
    EXPECT_FALSE(todo.empty());
    EXPECT_TRUE(test::planned(test::after(before, todo)).empty());
  }
}

// The field is immutable; the status reports that it was dropped.
TEST(Plan, APolicyThatTheApiServerDroppedIsNotAskedForAgain) {
  Observed seen = test::made();
  for (const char* policy : {"podFailurePolicy", "successPolicy"}) {
    test::patch_job(seen, {{"spec", {{policy, nullptr}}}});
  }
  EXPECT_TRUE(test::planned(seen).empty());
}

TEST(Plan, WhatIsMissingComesBackAndTheSecretOnlyWithTheJob) {
  Observed seen = test::made();
  test::lose(seen, "ConfigMap");
  EXPECT_EQ(test::names(test::planned(seen)), (Names{"ConfigMap sample-entrypoint-0123abcd"}));
  seen.gone = GoneJob{seen.jobs.at(0), true};
  test::lose(seen, "Job");
  EXPECT_EQ(test::names(test::planned(seen)), (Names{"Secret sample-curve-0123abcd", "Job sample",
                                                     "ConfigMap sample-entrypoint-0123abcd"}));
}

TEST(Plan, ACertificateIsMadeOnlyWhereOneIsNeeded) {
  int made = 0;
  const auto count = [&] {
    ++made;
    return std::string("fresh");
  };
  const auto secret_of = [&](const Observed& seen) -> json {
    for (const Create& create : plan(seen, test::examined(seen), {}, test::kNow, count).create) {
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

TEST(Plan, NothingIsDoneForWhatIsInvalidDeletedFinishedOrAnothers) {
  for (const char* patch : {R"({"spec": {"size": 0}})",
                            R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})",
                            R"({"spec": {"managedBy": "kueue.x-k8s.io/multikueue"}})"}) {
    EXPECT_TRUE(test::planned(test::observed(test::cluster(patch))).empty()) << patch;
  }
  EXPECT_FALSE(
      test::planned(test::observed(test::cluster(
                        R"({"spec": {"managedBy": "flux-framework.org/minicluster-operator"}})")))
          .empty());
  for (const char* end : {"Complete", "Failed"}) {
    EXPECT_TRUE(test::planned(test::observed(test::cluster(), {test::ended_job(end)})).empty())
        << end << ", and the status does not say so yet";
  }
}

TEST(Plan, AnothersMiniClusterIsLookedAtBeforeAnythingIsMade) {
  EXPECT_FALSE(test::planned(test::observed(test::cluster())).check_for_foreign_job);
  EXPECT_TRUE(test::planned(test::observed(test::cluster(R"({"status": {"maximumSize": 4}})")))
                  .check_for_foreign_job);
  const auto with = [](const char* conditions) {
    json object = test::cluster();
    object["status"]["conditions"] = json::parse(conditions);
    return test::planned(test::observed(object)).check_for_foreign_job;
  };
  EXPECT_TRUE(with(R"([{"type": "Accepted", "status": "True"}])"));
  EXPECT_TRUE(with(R"([{"type": "Accepted", "status": "True"},
                       {"type": "ObjectsReady", "status": "False"}])"))
      << "its Job was in the way, and still may be";
  EXPECT_FALSE(with(R"([{"type": "ObjectsReady", "status": "True"}])"));
}

// The plan if all objects exist and the Job has this patch.
Plan with_job(const char* cluster_patch, const char* job_patch) {
  Observed seen = test::made(cluster_patch);
  test::lose(seen, "Job");
  test::add_owned(seen, test::job(job_patch));
  return test::planned(seen);
}

struct JobCase {
  const char* name;
  const char* cluster;   // merge patch
  const char* job;       // merge patch
  const char* expected;  // the patch of the Job; "" if none
};

constexpr const char* kMadeFor4 =
    R"({"metadata": {"annotations": {"flux-framework.org/quorum": "4",
       "flux-framework.org/size": "4"}}, "spec": {"completions": 4, "parallelism": 4}})";

TEST(Plan, TheJobFollowsTheSpecAndNothingElse) {
  const JobCase cases[] = {
      {"as asked", "{}", "{}", ""},
      {"grown", R"({"spec": {"size": 3, "maxSize": 4}})", "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/size": "3"}},
           "spec": {"completions": 3, "parallelism": 3}})"},
      {"shrunk, above the quorum", R"({"spec": {"size": 2, "maxSize": 4}})",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "2"}},
           "spec": {"completions": 4, "parallelism": 4}})",
       R"({"metadata": {"annotations": {"flux-framework.org/size": "2"}},
           "spec": {"completions": 2, "parallelism": 2}})"},
      {"shrunk below the quorum", R"({"spec": {"size": 2, "maxSize": 4}})", kMadeFor4,
       R"({"metadata": {"annotations": {"flux-framework.org/size": "2",
           "flux-framework.org/shrunk-at": "2026-01-01T00:00:00Z"}},
           "spec": {"completions": 2, "parallelism": 2}})"},
      {"edited by hand", "{}", R"({"spec": {"parallelism": 1}})",
       R"({"metadata": {"annotations": {"flux-framework.org/size": "2"}},
           "spec": {"completions": 2, "parallelism": 2}})"},
      {"partly admitted by a queueing system", "{}",
       R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"},
           "annotations": {"flux-framework.org/size": "2"}}, "spec": {"parallelism": 1}})",
       ""},
      {"partly admitted, and its queue's label was lost",
       R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}}, "spec": {"suspend": true}})",
       R"({"metadata": {"annotations": {"flux-framework.org/size": "2"}},
           "spec": {"parallelism": 1}})",
       R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}}})"},
      {"resized in a queue", R"({"spec": {"size": 1}})",
       R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"},
           "annotations": {"flux-framework.org/size": "2"}}})",
       R"({"metadata": {"annotations": {"flux-framework.org/size": "1"}},
           "spec": {"completions": 1, "parallelism": 1}})"},
      {"suspended", R"({"spec": {"suspend": true}})", "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}},
           "spec": {"suspend": true}})"},
      {"suspended already", R"({"spec": {"suspend": true}})",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}},
           "spec": {"suspend": true}})",
       ""},
      {"suspended, and resumed by hand", R"({"spec": {"suspend": true}})",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}}})",
       R"({"spec": {"suspend": true}})"},
      {"resumed", "{}",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}},
           "spec": {"suspend": true}})",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": null}},
           "spec": {"suspend": false}})"},
      {"suspended by another", "{}", R"({"spec": {"suspend": true}})", ""},
      {"suspend of a Job in a queue", R"({"spec": {"suspend": true}})",
       R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"},
           "annotations": {"flux-framework.org/size": "2"}}})",
       ""},
      {"backoffLimit edited by hand", "{}", R"({"spec": {"backoffLimit": 1}})",
       R"({"spec": {"backoffLimit": 100}})"},
      {"a label of ours lost", "{}", R"({"metadata": {"labels": {"app": null}}})",
       R"({"metadata": {"labels": {"app": "flux-operator"}}})"},
      {"pods as an earlier version of the controller made them", "{}",
       R"({"spec": {"template": {"spec": {"containers": [{"name": "sample", "image": "old:1"}]}}}})",
       ""},
      {"what a queueing system writes into the pods", "{}",
       R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}, "annotations": {
           "flux-framework.org/size": "2", "x": "y"}}, "spec": {"template": {
           "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
           "spec": {"nodeSelector": {"pool": "b"}, "tolerations": [{"operator": "Exists"}],
           "schedulingGates": [{"name": "kueue.x-k8s.io/topology"}]}}}})",
       ""},
      {"a label of another's", "{}", R"({"metadata": {"labels": {"theirs": "x"}}})", ""},
      {"being deleted", R"({"spec": {"size": 1}})",
       R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})", ""},
  };
  for (const JobCase& c : cases) {
    SCOPED_TRACE(c.name);
    const Plan todo = with_job(c.cluster, c.job);
    EXPECT_TRUE(todo.create.empty());
    EXPECT_EQ(todo.patch.size(), *c.expected == '\0' ? 0U : 1U);
    if (todo.patch.size() != 1 || *c.expected == '\0') continue;
    EXPECT_EQ(todo.patch[0].body, json::parse(c.expected));
    EXPECT_EQ(todo.patch[0].target.uid, "job-uid");
  }
}

TEST(Plan, AnUpgradeLeavesARunningClusterAsItIs) {
  Observed seen = test::made();
  json scripts = test::planned(test::observed(test::cluster())).create_once_recorded.at(0).object;
  scripts["data"] = {{"wait.sh", "the script of an earlier version"}};
  seen.config_maps = {test::shared(read_config_map(scripts))};
  EXPECT_TRUE(test::planned(seen).empty());
}

TEST(Plan, AJobOfAQueueIsNotTakenForSuspendedByUs) {
  const auto suspended = [](const char* patch) {
    const Plan todo = test::planned(test::observed(test::cluster(patch)));
    return todo.create.back().object["metadata"]["annotations"].contains(
        "flux-framework.org/suspended");
  };
  EXPECT_TRUE(suspended(R"({"spec": {"suspend": true}})"));
  EXPECT_FALSE(suspended(R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}},
                             "spec": {"suspend": true}})"));
}

TEST(Plan, ANewJobRemembersWhatItIsMadeFrom) {
  const Plan todo =
      test::planned(test::observed(test::cluster(R"({"spec": {"maxSize": 8, "suspend": true}})")));
  const json& job = todo.create.back().object;
  const json& annotations = job["metadata"]["annotations"];
  EXPECT_EQ(annotations["flux-framework.org/max-size"], "8");
  EXPECT_EQ(annotations["flux-framework.org/quorum"], "2");
  EXPECT_EQ(annotations["flux-framework.org/size"], "2");
  EXPECT_EQ(annotations["flux-framework.org/suspended"], "true");
  EXPECT_EQ(job["spec"]["suspend"], true);
}

TEST(Plan, AServiceEditedByHandComesBack) {
  Observed seen = test::made();
  Service service = *seen.services.at(0);
  service.selector = {{"app", "other"}};
  seen.services = {test::shared(service)};
  const Plan todo = test::planned(seen);
  ASSERT_EQ(todo.patch.size(), 1U);
  EXPECT_EQ(todo.patch[0].body["spec"]["selector"],
            json::parse(R"({"app": null, "flux-framework.org/minicluster-uid":
                            "0123abcd-0000-4000-8000-000000000000"})"));
}

TEST(Plan, ASpecChangedBehindTheWebhooksBackIsNotHalfApplied) {
  Observed seen = test::made();
  test::patch_cluster(seen, R"({"spec": {"size": 1, "containers": [
      {"image": "other:1", "command": "hostname"}]}})"_json);
  test::lose(seen, "ConfigMap");
  EXPECT_TRUE(test::planned(seen).empty());
}

TEST(Plan, ASuspendedJobThatNeverStartedIsMadeAnewForOtherPods) {
  Observed seen = test::made(R"({"spec": {"suspend": true}})");
  test::patch_cluster(seen, R"({"spec": {"pod": {"nodeSelector": {"pool": "b"}}}})"_json);
  EXPECT_EQ(test::planned(seen).remove.at(0).kind, "Job");
  test::patch_cluster(seen, R"({"spec": {"tasks": 7}})"_json);
  EXPECT_TRUE(test::planned(seen).empty()) << "the Secret has been written";
}

constexpr const char* kWithServices = R"({"spec": {"services": [{"name": "db", "image": "x:1"}]}})";
constexpr const char* kInQueue =
    R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}}, "spec": {"minSize": 1}})";

TEST(Plan, TheServicesWaitWithAJobThatAQueueHolds) {
  json object = test::cluster(kWithServices);
  object.merge_patch(json::parse(kInQueue));
  Observed seen = test::observed(object);
  EXPECT_THAT(test::names(test::planned(seen)), Not(Contains("Pod sample-services")));
  seen = test::after(seen, test::planned(seen));
  const auto set_suspended = [&](bool value) {
    test::patch_job(seen, {{"spec", {{"suspend", value}}}});
  };
  set_suspended(true);
  EXPECT_TRUE(test::planned(seen).empty());
  set_suspended(false);
  EXPECT_EQ(test::names(test::planned(seen)), Names{"Pod sample-services"});
  Pod pod;
  pod.metadata.name = "sample-services";
  pod.metadata.uid = "p";
  seen.owned_pods = {test::shared(pod)};
  EXPECT_TRUE(test::planned(seen).remove.empty());
  set_suspended(true);
  ASSERT_EQ(test::planned(seen).remove.size(), 1U);
  EXPECT_EQ(test::planned(seen).remove[0].uid, "p");
}

TEST(Plan, TheServicesOfASuspendedMiniClusterWaitToo) {
  json object = test::cluster(kWithServices);
  object["spec"]["suspend"] = true;
  EXPECT_THAT(test::names(test::planned(test::observed(object))),
              Not(Contains("Pod sample-services")));
}

// The lead's pod and the Job of a MiniCluster of 2 in a queue that may admit 1.
Observed admitted(const char* job_patch, const char* pod_patch) {
  Observed seen = test::made(kInQueue);
  test::patch_job(seen, json::parse(job_patch));
  seen.pods = {test::pod("0", pod_patch), test::pod("1")};
  return seen;
}

TEST(Plan, TheLeadIsToldHowManyPodsAQueueHasAdmitted) {
  constexpr const char* kOne = R"({"spec": {"completions": 1, "parallelism": 1}})";
  const Plan todo = test::planned(admitted(kOne, R"({"metadata": {"uid": "lead"}})"));
  ASSERT_EQ(todo.patch.size(), 1U);
  EXPECT_EQ(todo.patch[0].target.kind, "Pod");
  EXPECT_EQ(todo.patch[0].target.uid, "lead");
  EXPECT_EQ(todo.patch[0].body,
            json::parse(R"({"metadata": {"annotations": {"flux-framework.org/admitted": "1"}}})"));
  EXPECT_TRUE(test::planned(admitted(kOne, R"({"metadata": {"annotations": {
                  "flux-framework.org/admitted": "1"}}})"))
                  .empty())
      << "once";
  EXPECT_TRUE(test::planned(admitted(R"({"spec": {"suspend": true}})", "{}")).empty())
      << "of another admission";
  EXPECT_TRUE(test::planned(admitted(kOne, R"({"metadata": {
                  "deletionTimestamp": "2026-01-01T00:00:00Z"}})"))
                  .empty());
  Observed whole = admitted(kOne, "{}");
  test::patch_job(whole,
                  R"({"metadata": {"annotations": {"flux-framework.org/quorum": "1"}}})"_json);
  EXPECT_TRUE(test::planned(whole).empty()) << "pods of an earlier version do not wait for it";
}

// Two pods without the label that users' Services select by, with a merge patch applied to both.
Observed unlabelled(const char* patch = "{}") {
  Observed seen = test::made();
  for (const char* index : {"0", "1"}) {
    json pod = test::sent_pod(index, R"({"metadata": {"labels": {"job-index": null}}})");
    pod.merge_patch(json::parse(patch));
    seen.pods.push_back(test::shared(read_pod(pod)));
  }
  return seen;
}

TEST(Plan, TheLeadsPodGetsTheLabelThatUsersServicesSelectBy) {
  const Plan todo = test::planned(unlabelled());
  ASSERT_EQ(todo.patch.size(), 1U);
  EXPECT_EQ(todo.patch[0].target.name, "sample-0");
  EXPECT_EQ(todo.patch[0].body, json::parse(R"({"metadata": {"labels": {"job-index": "0"}}})"));
}

TEST(Plan, EveryPodGetsItIfThatIsAskedFor) {
  Observed seen = unlabelled();
  seen.index_labels = IndexLabels::All;
  const Plan todo = test::planned(seen);
  ASSERT_EQ(todo.patch.size(), 2U);
  EXPECT_EQ(todo.patch[1].target.name, "sample-1");
  EXPECT_EQ(todo.patch[1].body, json::parse(R"({"metadata": {"labels": {"job-index": "1"}}})"));
}

TEST(Plan, APodThatEndsDoesNotGetItAnyMore) {
  for (const char* patch :
       {R"({"status": {"phase": "Succeeded"}})",
        R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})",
        R"({"metadata": {"labels": {"batch.kubernetes.io/job-completion-index": null}}})"}) {
    Observed seen = unlabelled(patch);
    seen.index_labels = IndexLabels::All;
    EXPECT_TRUE(test::planned(seen).patch.empty()) << patch;
  }
}

TEST(Plan, AnExistingServiceIsNeededBeforeTheJobAndNotCreated) {
  const Observed seen = test::observed(test::cluster(R"({"spec": {
      "network": {"headlessName": "ensemble", "useExistingService": true},
      "pod": {"labels": {"ensemble": "a"}}}})"));
  const Plan todo = test::planned(seen);
  EXPECT_THAT(test::names(todo), Not(Contains("Service ensemble")));
  ASSERT_TRUE(todo.needs);
  EXPECT_EQ(todo.needs->ns, "lab");
  EXPECT_EQ(todo.needs->name, "ensemble");
  EXPECT_EQ(*find_label(todo.needs->pod_labels, "ensemble"), "a");
  EXPECT_FALSE(test::planned(test::after(seen, todo)).needs) << "the Job exists";
  EXPECT_FALSE(test::planned(test::observed(test::cluster())).needs);
}

TEST(Plan, AnotherQueuesNameReachesTheJob) {
  Observed seen = test::made(R"({"spec": {"jobLabels": {"kueue.x-k8s.io/queue-name": "wrong"}}})");
  test::patch_cluster(seen,
                      R"({"spec": {"jobLabels": {"kueue.x-k8s.io/queue-name": "right"}}})"_json);
  const Plan todo = test::planned(seen);
  ASSERT_EQ(todo.patch.size(), 1U);
  EXPECT_EQ(todo.patch[0].body["metadata"]["labels"],
            json::parse(R"({"kueue.x-k8s.io/queue-name": "right"})"));
}

}  // namespace
}  // namespace mc::controller
