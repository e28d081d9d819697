#include <set>

#include "tests/integration/lifecycle_story.h"

// A MiniCluster from its first pod to its end, with the real Job controller. There is no node: the
// test writes what a kubelet or scheduler would report of a pod.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Lifecycle : public LifecycleStory {};

TEST_F(Lifecycle, ASuccessIsReadyThenComplete) {
  const JobPods pods =
      make_with_pods("good", {{"services", {{{"name", "web"}, {"image", "nginx:1.27"}}}}});
  EXPECT_TRUE(comes("good", "Ready", "False", "Starting: "));
  pods.run_all(2);
  EXPECT_TRUE(comes("good", "Ready", "True", "QuorumReached: "));
  EXPECT_EQ(status("good")["phase"], "Running");
  pods.end(1, 0);
  pods.end(0, 0);
  ASSERT_TRUE(comes("good", "Complete", "True", "CommandSucceeded: "));
  kubectl.must({"wait", "--for=condition=Complete", "minicluster/good", "--timeout=10s"});
  const json end = status("good");
  EXPECT_EQ(end["phase"], "Succeeded");
  EXPECT_EQ(end["succeeded"], 2);
  EXPECT_TRUE(end.contains("completionTime"));
  EXPECT_TRUE(eventually([&] { return kubectl.get({"pod", "good-services"}).is_null(); }));
  EXPECT_THAT(events("good"), ::testing::ElementsAre("Normal CommandSucceeded", "Normal Created",
                                                     "Normal QuorumReached"));
}

TEST_F(Lifecycle, AFailedCommandIsFinalAndToldWithItsCodeAndLastLines) {
  const JobPods pods = make_with_pods("fails");
  pods.run_all(2);
  pods.end(0, 7, "lost atom 3\n");
  ASSERT_TRUE(comes("fails", "Failed", "True",
                    "CommandFailed: The command ended with code 7: lost atom 3"));
  EXPECT_EQ(status("fails")["phase"], "Failed");
  EXPECT_EQ(pods.job()["status"]["failed"].get<int>() >= 1, true);
  kubectl.must({"wait", "--for=condition=Failed", "minicluster/fails", "--timeout=10s"});
}

TEST_F(Lifecycle, ASnippetThatFailsIsToldByPodStepAndCode) {
  const JobPods pods = make_with_pods("snippet");
  const std::string pod = pods.pod(1)["metadata"]["name"];
  pods.end(1, 3, "no licence\nminicluster: error: workerPre ended with code 3\n");
  EXPECT_TRUE(comes("snippet", "Failed", "True",
                    "SnippetFailed: pod " + pod + ": workerPre ended with code 3: no licence"));
}

// Its followers have ended, and the next lead would wait for them forever.
TEST_F(Lifecycle, WhatALeadThatWasLostToldItsFollowersIsTheEnd) {
  for (const int code : {0, 7}) {
    const std::string name = "lost-lead-" + std::to_string(code);
    const JobPods pods = make_with_pods(name);
    pods.run_all(2);
    ASSERT_TRUE(comes(name, "Ready", "True", "QuorumReached: "));
    pods.end(1, 0, "the command ended with code " + std::to_string(code));
    ASSERT_TRUE(comes(name, "Ready", "False", "Finished: "));
    EXPECT_EQ(status(name)["phase"], "Running");
    pods.end(0, 137);
    ASSERT_TRUE(comes(name, code == 0 ? "Complete" : "Failed", "True",
                      "The command ended with code " + std::to_string(code) + "; the lead's pod"))
        << pods.job().dump(2);
    EXPECT_EQ(status(name)["phase"], code == 0 ? "Succeeded" : "Failed");
    EXPECT_TRUE(eventually([&] { return value_at(pods.job(), "/status/active", 0) == 0; }))
        << "the Job has ended, too\n"
        << pods.job().dump(2);
  }
}

TEST_F(Lifecycle, AJobThatWasResumedByHandIsHeldAgain) {
  make("by-hand", {{"suspend", true}});
  ASSERT_TRUE(comes("by-hand", "Suspended", "True", "Suspended: "));
  const JobPods pods(kubectl, "by-hand");
  kubectl.patch("job", "by-hand", {{"spec", {{"suspend", false}}}});
  EXPECT_TRUE(eventually([&] { return pods.job()["spec"]["suspend"] == true; }));
}

TEST_F(Lifecycle, NothingComesBackOnceItHasEnded) {
  const JobPods pods = make_with_pods("ended");
  pods.end(0, 0);
  ASSERT_TRUE(comes("ended", "Complete", "True", ""));
  kubectl.must({"delete", "job,service", "ended"});
  patch("ended", {{"size", 1}});
  let_the_controller_catch_up(kubectl);
  EXPECT_TRUE(kubectl.get({"job", "ended"}).is_null());
  EXPECT_TRUE(kubectl.get({"service", "ended"}).is_null());
  EXPECT_EQ(status("ended")["phase"], "Succeeded");
}

TEST_F(Lifecycle, InfrastructureIsTriedAgainAndToldMeanwhile) {
  const JobPods pods = make_with_pods("retries");
  pods.end(0, 241, "minicluster: error: no flux\n");
  EXPECT_TRUE(
      comes("retries", "Ready", "False", "ended with code 241: minicluster: error: no flux"));
  ASSERT_TRUE(eventually([&] { return pods.pod(0).is_object(); })) << "the Job makes the pod anew";
  EXPECT_EQ(status("retries")["phase"], "Starting");
}

TEST_F(Lifecycle, AnImageThatCannotBePulledIsToldInTheKubeletsWordsOnce) {
  const JobPods pods = make_with_pods("image", {{"size", 4}});
  for (int i = 0; i < 4; ++i) pods.wait(i, "ErrImagePull", "manifest unknown");
  ASSERT_TRUE(comes("image", "Ready", "False", "ErrImagePull: manifest unknown"));
  EXPECT_THAT(events("image"), ::testing::ElementsAre("Normal Created", "Warning ImagePullFailed"));
  pods.run_all(4);
  EXPECT_TRUE(comes("image", "Ready", "True", "QuorumReached"));
}

TEST_F(Lifecycle, AQuotaThatRefusesPodsIsReported) {
  kubectl.must({"create", "quota", "few", "--hard=pods=1"});
  ASSERT_TRUE(eventually(
      [&] { return kubectl.get({"resourcequota", "few"}).contains("/status/hard"_json_pointer); }));
  make("wants-more");
  EXPECT_TRUE(comes("wants-more", "Ready", "False", "PodsRefused: "));
  EXPECT_THAT(told("wants-more", "Ready", "False"), HasSubstr("exceeded quota: few"));
}

TEST_F(Lifecycle, ADeadlineAndABackoffLimitAreTold) {
  make("slow", {{"deadlineSeconds", 1}});
  const JobPods pods = make_with_pods("tries", {{"backoffLimit", 0}});
  pods.end(0, 242, "minicluster: error: cannot copy\n");
  EXPECT_TRUE(comes("tries", "Failed", "True", "BackoffLimitExceeded: "));
  EXPECT_THAT(told("tries", "Failed", "True"), HasSubstr("ended with code 242: minicluster: "));
  EXPECT_TRUE(comes("slow", "Failed", "True", "DeadlineExceeded: "));
}

TEST_F(Lifecycle, ACrashLoopIsToldWithItsCodeAndLastLines) {
  const JobPods pods = make_with_pods("crashes", {{"pod", {{"restartPolicy", "OnFailure"}}}});
  pods.crash_loop(1, 241, "minicluster: error: no flux\n");
  EXPECT_TRUE(comes("crashes", "Ready", "False",
                    "container crashes ended with code 241: minicluster: error: no flux"));
  EXPECT_THAT(told("crashes", "Ready", "False"), HasSubstr("CrashLooping: "));
}

TEST_F(Lifecycle, ALostStatusIsFoundAgain) {
  const JobPods pods = make_with_pods("lost");
  pods.run_all(2);
  ASSERT_TRUE(comes("lost", "Ready", "True", "QuorumReached: "));
  const json job = pods.job();
  kubectl.patch("minicluster", "lost", {{"status", nullptr}}, {"--subresource=status"});
  EXPECT_TRUE(comes("lost", "Ready", "True", "QuorumReached: "));
  EXPECT_EQ(status("lost")["phase"], "Running");
  EXPECT_EQ(pods.job()["metadata"], job["metadata"]) << "nothing was made or written again";
}

TEST_F(Lifecycle, SuspendHoldsTheJobAndResumeStartsIt) {
  make("held", {{"suspend", true}});
  EXPECT_TRUE(comes("held", "Suspended", "True", "Suspended: "));
  EXPECT_EQ(status("held")["phase"], "Suspended");
  const JobPods pods(kubectl, "held");
  patch("held", {{"pod", {{"nodeSelector", {{"pool", "b"}}}}}});
  ASSERT_TRUE(eventually([&] {
    return value_at(pods.job(), "/spec/template/spec/nodeSelector/pool", std::string()) == "b";
  })) << "pods that never were may still change\n"
      << kubectl.get({"minicluster", "held"}).dump(2);
  patch("held", {{"suspend", false}});
  ASSERT_TRUE(pods.are(2));
  EXPECT_TRUE(comes("held", "Suspended", "False", "Resumed: "));
  patch("held", {{"suspend", true}});
  ASSERT_TRUE(pods.are(0));
  EXPECT_TRUE(comes("held", "Suspended", "True", "Suspended: "));
  EXPECT_TRUE(eventually([&] { return event("held", "Suspended")["count"] == 2; }))
      << "one event that counts\n"
      << event("held", "Suspended").dump(2);
}

TEST_F(Lifecycle, AJobThatAQueueHoldsIsReportedAndLeftAlone) {
  json object = minicluster("queued", {{"size", 3}, {"minSize", 2}, {"suspend", true}});
  object["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "team"}};
  make_object(object);
  const JobPods pods(kubectl, "queued");
  EXPECT_EQ(pods.job()["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"], "2");
  EXPECT_TRUE(comes("queued", "Suspended", "True", "Queued: "));
  // As Kueue on admission: fewer pods, a node selector, unsuspended.
  kubectl.patch("job", "queued",
                {{"spec", {{"parallelism", 2}, {"completions", 2}, {"suspend", false}}}});
  ASSERT_TRUE(pods.are(2));
  let_the_controller_catch_up(kubectl);
  EXPECT_EQ(pods.job()["spec"]["completions"], 2);
  EXPECT_EQ(pods.job()["spec"]["suspend"], false);
}

// Kubernetes takes the changes of a Job with a success policy for each restart policy.
TEST_F(Lifecycle, SizeFollowsWithinTheCeilingAndTheLeadStays) {
  for (const std::string policy : {"Never", "OnFailure"}) {
    const std::string name = policy == "Never" ? "elastic" : "elastic-on-failure";
    const JobPods pods =
        make_with_pods(name, {{"maxSize", 4}, {"pod", {{"restartPolicy", policy}}}});
    EXPECT_TRUE(pods.job()["spec"].contains("successPolicy"));
    const json lead = pods.pod(0);
    for (const int size : {4, 1}) {
      kubectl.must({"scale", "minicluster/" + name, "--replicas=" + std::to_string(size)});
      ASSERT_TRUE(pods.are(size));
      EXPECT_EQ(pods.job()["spec"]["completions"], size);
      EXPECT_TRUE(eventually([&] { return status(name)["size"] == size; }));
    }
    EXPECT_EQ(pods.pod(0)["metadata"]["uid"], lead["metadata"]["uid"]);
  }
}

TEST_F(Lifecycle, JobsThatWereEndedWithTheirPodAreNamedInAnEventForEachPod) {
  const JobPods pods = make_with_pods("drained", {{"size", 3}, {"drainSeconds", 60}});
  pods.run_all(3);
  const std::string words = "jobs that still ran after 60 s were ended: ";
  std::set<std::string> wanted;
  for (const int index : {1, 2}) {
    const std::string job = "f" + std::to_string(index) + " (sleep)";
    wanted.insert("pod " + pods.pod(index)["metadata"]["name"].get<std::string>() + ": " + words +
                  job);
    pods.end(index, 249, "ended by a signal; " + words + job + "\n");
  }
  const auto told = [&] {
    std::set<std::string> out;
    for (const json& event :
         kubectl.items({"events", "--field-selector",
                        "involvedObject.name=drained,reason=JobsEnded,type=Warning"})) {
      out.insert(event["message"]);
    }
    return out;
  };
  EXPECT_TRUE(eventually([&] { return told() == wanted; })) << ::testing::PrintToString(told());
}

TEST_F(Lifecycle, CleanupDeletesItAndAllThatItOwns) {
  const JobPods pods = make_with_pods("gone", {{"cleanup", true}});
  pods.end(0, 0);
  EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", "gone"}).is_null(); }));
  EXPECT_TRUE(eventually([&] { return kubectl.get({"job", "gone"}).is_null(); }));
}

TEST_F(Lifecycle, ATimeToLiveDeletesItLater) {
  const JobPods pods = make_with_pods("later", {{"ttlSecondsAfterFinished", 2}});
  pods.end(0, 0);
  ASSERT_TRUE(comes("later", "Complete", "True", ""));
  EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", "later"}).is_null(); }));
}

TEST_F(Lifecycle, AnothersMiniClusterIsLeftAlone) {
  create(minicluster("theirs", {{"managedBy", "kueue.x-k8s.io/multikueue"}}));
  let_the_controller_catch_up(kubectl);
  EXPECT_THAT(owned(kubectl, "theirs"), IsEmpty());
  EXPECT_TRUE(is_untouched(kubectl.get({"minicluster", "theirs"})));
}

TEST_F(Lifecycle, AMiniClusterOfTheGoOperatorIsNamedAndLeftAlone) {
  // As an earlier operator leaves it: a status without our conditions, and a Job that it owns.
  Stage::get().without_controller();
  create(minicluster("earlier"));
  kubectl.patch("minicluster", "earlier",
                R"({"status": {"jobid": "", "maximumSize": 2, "selector": "hpa-selector=earlier",
                               "size": 2}})"_json,
                {"--subresource=status"});
  const json uid = kubectl.get({"minicluster", "earlier"})["metadata"]["uid"];
  const json owner = {{"apiVersion", "flux-framework.org/v1alpha2"},
                      {"kind", "MiniCluster"},
                      {"name", "earlier"},
                      {"uid", uid},
                      {"controller", true}};
  json job =
      json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "earlier"},
    "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": {"spec": {
    "restartPolicy": "Never", "containers": [{"name": "x", "image": "x:1"}]}}}})");
  job["metadata"]["ownerReferences"] = json::array({owner});
  create(job);
  Stage::get().with_controller();
  ASSERT_TRUE(comes("earlier", "ObjectsReady", "False", "made by another operator"));
  EXPECT_EQ(owned(kubectl, "earlier").size(), 1U) << "its Job, and nothing of ours";
}

TEST_F(Lifecycle, WithOnFailureTheCommandsFailureIsFinalToo) {
  const JobPods pods = make_with_pods("restarts", {{"pod", {{"restartPolicy", "OnFailure"}}}});
  pods.crash_loop(0, 7, "x");
  ASSERT_TRUE(eventually([&] { return pods.job()["spec"]["backoffLimit"] == 0; }))
      << pods.pod(0)["status"].dump(2) << status("restarts").dump(2) << pods.job().dump(2);
  ASSERT_TRUE(comes("restarts", "Failed", "True", "CommandFailed: The command ended with code 7"));
}

TEST_F(Lifecycle, TheSameNameAgainIsAnotherMiniCluster) {
  std::set<std::string> uids;
  for (int i = 0; i < 20; ++i) {
    const std::string command = "echo run-" + std::to_string(i);
    make("again", {{"containers", {{{"image", "ubuntu:noble"}, {"command", command}}}}});
    const json cluster = kubectl.get({"minicluster", "again"});
    const std::string uid = cluster["metadata"]["uid"];
    EXPECT_TRUE(uids.insert(uid).second);
    const json job = kubectl.get({"job", "again"});
    EXPECT_EQ(job["metadata"]["ownerReferences"][0]["uid"], uid);
    EXPECT_EQ(kubectl.get({"service", "again"})["spec"]["selector"],
              json({{"flux-framework.org/minicluster-uid", uid}}));
    EXPECT_THAT(job["spec"]["template"]["spec"].dump(),
                HasSubstr("again-entrypoint-" + uid.substr(0, 8)));
    const json texts = kubectl.get({"configmap", "again-entrypoint-" + uid.substr(0, 8)})["data"];
    EXPECT_THAT(texts["container-0.command.words"].get<std::string>(),
                HasSubstr("run-" + std::to_string(i)));
    kubectl.must({"delete", "minicluster", "again", "--wait=false"});
    ASSERT_TRUE(eventually([&] {
      const json now = kubectl.get({"minicluster", "again"});
      return now.is_null();
    }));
  }
}

TEST_F(Lifecycle, AServiceEditedByHandComesBack) {
  make("edited");
  kubectl.patch("service", "edited", {{"spec", {{"selector", {{"app", "other"}}}}}});
  kubectl.must({"label", "job", "edited", "app-"});
  EXPECT_TRUE(eventually([&] {
    const json service = kubectl.get({"service", "edited"});
    return !service["spec"]["selector"].contains("app") &&
           kubectl.get({"job", "edited"})["metadata"]["labels"].value("app", "") == "flux-operator";
  })) << kubectl.get({"service", "edited"}).dump(2);
}

class WithoutWebhook : public ControllerAloneStory {};

TEST_F(WithoutWebhook, AChangeThatCannotBeAppliedIsNamedAndNothingIsHalfDone) {
  make("changed");
  let_the_controller_catch_up(kubectl);
  const auto before = kubectl.get({"job", "changed"})["spec"];
  const auto change_image = [&](const char* image) {
    kubectl.patch(
        "minicluster", "changed",
        json::array({{{"op", "replace"}, {"path", "/spec/containers/0/image"}, {"value", image}}}));
  };
  change_image("other:1");
  ASSERT_TRUE(has_condition(kubectl, "changed", "Accepted", "False"));
  EXPECT_THAT(condition(kubectl, "changed", "Accepted", "False").value_or(""),
              HasSubstr("spec.containers[0].image: Forbidden: was changed and is not applied"));
  EXPECT_EQ(kubectl.get({"job", "changed"})["spec"], before);
  change_image("ubuntu:noble");
  EXPECT_TRUE(has_condition(kubectl, "changed", "Accepted", "True"));
}

TEST_F(WithoutWebhook, TheSizeAtCreationIsTheCeiling) {
  make("ceiling");
  kubectl.patch("minicluster", "ceiling", {{"spec", {{"size", 3}}}});
  ASSERT_TRUE(has_condition(kubectl, "ceiling", "Accepted", "False"));
  EXPECT_EQ(kubectl.get({"job", "ceiling"})["spec"]["completions"], 2);
}

}  // namespace
}  // namespace mc::test
