#include <gtest/gtest.h>

#include "common/api/model/conditions.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/services/controller/status/status_of.h"

namespace mc::controller {
namespace {

TEST(JobConditions, MinSizeIsTheQuorum) {
  Observed seen = test::observed(test::cluster(R"({"spec": {"size": 4, "minSize": 2}})"),
                                 {test::job(R"({"status": {"ready": 3}})")});
  EXPECT_EQ(status_of(with_ready_pods(seen, 2))["phase"], "Running");
  EXPECT_EQ(status_of(with_ready_pods(seen, 1))["phase"], "Starting") << "the Job is late";
  for (const char* index : {"1", "2", "3"}) seen.pods.push_back(test::pod(index, kReadyPod));
  EXPECT_EQ(status_of(seen)["phase"], "Starting") << "there is no lead";
}

TEST(JobConditions, AllThatWereAdmittedAreTheQuorum) {
  const json job = test::job(R"({"metadata": {"annotations": {
      "flux-framework.org/quorum": "admitted"}}, "spec": {"completions": 4, "parallelism": 4}})");
  const json cluster = test::cluster(R"({"spec": {"size": 8, "minSize": 2}})");
  EXPECT_EQ(condition(status_of(test::observed(cluster, {job})), "Ready"),
            "False Starting: The command starts when 4 pods are ready.");
}

struct ProgressCase {
  const char* name;
  const char* type;
  const char* expected;            // `Status Reason: message`; "" if there is no such condition
  const char* job = "{}";          // merge patch; "" if there is no Job
  const char* lead = nullptr;      // merge patch; null if there is no such pod
  const char* follower = nullptr;  // likewise
  const char* cluster = "{}";      // merge patch
};

TEST(JobConditions, ConditionsSayWhatJobAndPodsTell) {
  const ProgressCase cases[] = {
      {"no Job yet", "Ready", "False Starting: There is no Job yet.", ""},
      {"pods on their way", "Ready", "False Starting: The command starts when 2 pods are ready."},
      {"the quorum is there", "Ready",
       "True QuorumReached: At least 2 pods are ready, which is enough for the command.",
       R"({"status": {"ready": 2}})", kReadyPod, kReadyPod},
      {"the quorum that the brokers were told counts", "Ready",
       "True QuorumReached: At least 1 pod is ready, which is enough for the command.",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "1"}},
           "spec": {"completions": 4}, "status": {"ready": 1}})",
       kReadyPod, nullptr, R"({"spec": {"size": 4, "maxSize": 4, "minSize": 3}})"},
      {"unschedulable", "Ready", "False Unschedulable: pod sample-1: 0/3 nodes: Insufficient cpu.",
       "{}", "{}", R"({"status": {"conditions": [{"type": "PodScheduled", "status": "False",
                  "reason": "Unschedulable", "message": "0/3 nodes: Insufficient cpu."}]}})"},
      {"gated by a queueing system is no trouble", "Ready",
       "False Starting: The command starts when 2 pods are ready.", "{}",
       R"({"status": {"conditions": [{"type": "PodScheduled", "status": "False",
            "reason": "SchedulingGated", "message": "x"}]}})"},
      {"an image that is not there", "Ready",
       "False ImagePullFailed: pod sample-0, container sample: ErrImagePull: manifest unknown",
       "{}",
       R"({"status": {"containerStatuses": [{"name": "sample", "state": {"waiting":
            {"reason": "ErrImagePull", "message": "manifest unknown"}}}]}})"},
      {"a Secret that is not there", "Ready",
       "False ContainerCannotStart: pod sample-0, container flux-view: CreateContainerConfigError: "
       "secret \"x\" not found",
       "{}", R"({"status": {"initContainerStatuses": [{"name": "flux-view", "state": {"waiting":
            {"reason": "CreateContainerConfigError", "message": "secret \"x\" not found"}}}]}})"},
      {"a crash loop", "Ready",
       "False CrashLooping: pod sample-0, container helper ended with code 3: no such file", "{}",
       R"({"status": {"containerStatuses": [{"name": "helper", "state": {"waiting":
            {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}, "lastState":
            {"terminated": {"exitCode": 3, "reason": "Error", "message": "no such file\n"}}}]}})"},
      {"a pod that is made anew", "Ready",
       "False PodFailing: pod sample-0, container sample ended with code 241: no flux", "{}",
       R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 241, "reason": "Error", "message": "no flux"}}}]}})"},
      {"an evicted pod", "Ready", "False PodFailing: pod sample-0 failed (Evicted): low on memory",
       "{}", R"({"status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory"}})"},
      {"made smaller, and the lead still runs", "Ready",
       "True QuorumReached: At least 2 pods are ready, which is enough for the command.",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "4",
           "flux-framework.org/shrunk-at": "2026-01-01T00:10:00Z"}}, "status": {"ready": 2}})",
       R"({"status": {"startTime": "2026-01-01T00:00:00Z", "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}]}})",
       kReadyPod},
      {"made smaller, and the lead started after that", "Ready",
       "False QuorumUnreachable: The lead broker waits for 4 brokers, but the MiniCluster was "
       "scaled down to 2. Raise spec.size to 4, or delete the MiniCluster and create it again.",
       R"({"metadata": {"annotations": {"flux-framework.org/quorum": "4",
           "flux-framework.org/shrunk-at": "2026-01-01T00:10:00Z"}}, "status": {"ready": 2}})",
       R"({"status": {"startTime": "2026-01-01T00:20:00Z"}})"},
      {"never suspended", "Suspended", ""},
      {"suspended by us", "Suspended", "True Suspended: spec.suspend is true; the Job has no pods.",
       R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}},
           "spec": {"suspend": true}})"},
      {"held by a queueing system", "Suspended",
       "True Queued: A queueing system or another client has suspended the Job; it has no pods.",
       R"({"spec": {"suspend": true}})"},
      {"suspended once", "Suspended", "False Resumed: The Job is not suspended.", "{}", nullptr,
       nullptr, R"({"status": {"conditions": [{"type": "Suspended", "status": "True"}]}})"},
      {"complete", "Complete",
       "True CommandSucceeded: The lead broker's command ended with code 0.",
       R"({"status": {"conditions": [{"type": "Complete", "status": "True"}]}})"},
      {"tasks of an MPI program did not find each other", "Complete",
       "True CommandSucceeded: The lead broker's command ended with code 0. However, 4 of its "
       "tasks ran as MPI programs of one rank each, because libmpi.so.40.40.7 cannot find the "
       "other tasks. Open MPI 5 "
       "needs a Flux view with flux-pmix (docs/mpi.md).",
       R"({"status": {"conditions": [{"type": "Complete", "status": "True"}]}})",
       R"({"status": {"phase": "Succeeded", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 0,
             "message": "minicluster singletons=4 library=libmpi.so.40.40.7"}}}]}})"},
      {"the command failed", "Failed",
       "True CommandFailed: The command or a snippet ended with code 7; pod sample-0-x and its log "
       "are gone.",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message": "pod lab/sample-0-x failed with exit code 7 matching"
           }]}})"},
      {"the command failed, and what its pod said is still on its way", "Failed", "",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message": "pod lab/sample-0 failed with exit code 7 matching"
           }]}})",
       R"({"status": {"phase": "Running", "containerStatuses": [{"name": "sample", "state":
            {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}})"},
      {"the command failed, and its pod is seen", "Failed",
       "True CommandFailed: The command ended with code 7: lost atom 3",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message": "x"}]}})",
       R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 7, "message": "lost atom 3\n"}}}]}})"},
      {"the command failed, and the Job that gave up for it keeps how", "Failed",
       "True CommandFailed: The command ended with code 7: lost atom",
       R"({"metadata": {"annotations": {"flux-framework.org/command-failure": "7: lost atom"}},
           "status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "BackoffLimitExceeded", "message": "x"}]}})"},
      {"the deadline", "Failed",
       "True DeadlineExceeded: Job was active longer than specified deadline",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "DeadlineExceeded", "message": "Job was active longer than specified deadline"}
           ]}})"},
      {"the deadline, while the pods end", "Ready",
       "False Finished: The Job has failed (DeadlineExceeded), and its pods are about to end.",
       R"({"status": {"conditions": [{"type": "FailureTarget", "status": "True",
           "reason": "DeadlineExceeded", "message": "x"}]}})"},
      {"the lead has ended, while the others end", "Ready",
       "False Finished: The Job has succeeded, and its pods are about to end.",
       R"({"status": {"conditions": [{"type": "SuccessCriteriaMet", "status": "True"}]}})"},
      {"the command ended, and the Job has not yet", "Ready",
       "False Finished: The command has ended, and the pods are about to end.", "{}",
       R"({"status": {"containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 7, "message": "lost atom 3\n"}}}]}})"},
      {"a snippet failed, and the Job has not yet", "Ready",
       "False Finished: The pre snippet ended its container, and the pods are about to end.", "{}",
       R"({"status": {"containerStatuses": [{"name": "sample", "state": {"terminated":
            {"exitCode": 3, "message": "minicluster: error: pre ended with code 3"}}}]}})"},
      {"a snippet ended the container with 0", "Complete",
       "True CommandSucceeded: The init snippet ended the lead's container with code 0; the "
       "command "
       "was not run.",
       R"({"status": {"conditions": [{"type": "Complete", "status": "True"}]}})",
       R"({"status": {"phase": "Succeeded", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 0,
             "message": "minicluster: error: init ended with code 0"}}}]}})"},
      {"a broker that ends again and again", "Ready",
       "False PodFailing: pod sample-0, container sample ended with code 247: the broker ended "
       "with code 1",
       "{}", R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 247, "reason": "Error",
                            "message": "the broker ended with code 1"}}}]}})"},
      {"a follower was killed for its memory, and the lead ended for that", "Ready",
       "False OOMKilled: pod sample-1, container sample was OOMKilled: raise its memory limit "
       "(resources.limits.memory)",
       "{}", R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 246, "message": "a follower was lost"}}}]}})",
       R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}})"},
      {"killed for its memory while it was made, before the kubelet's next try", "Ready",
       "False OOMKilled: pod sample-0, container flux-view was OOMKilled: raise its memory limit "
       "(resources.limits.memory)",
       "{}", R"({"status": {"initContainerStatuses": [{"name": "flux-view", "restartCount": 1,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}},
            "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}})"},
      {"no memory, and no more tries", "Failed",
       "True OOMKilled: Job has reached the limit; pod sample-0, container sample was OOMKilled: "
       "raise its memory limit (resources.limits.memory).",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "BackoffLimitExceeded", "message": "Job has reached the limit"}]}})",
       R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}})"},
      {"a snippet of a follower failed, and its pod is gone", "Failed",
       "True PodFailed: The container ended with code 3; pod sample-1-abcde and its log are gone.",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "PodFailurePolicy", "message":
           "Container sample for pod lab/sample-1-abcde failed with exit code 3 matching FailJob"
           }]}})"},
      {"a Job that was told to give up keeps the end", "Complete", "True CommandSucceeded: m",
       R"({"metadata": {"annotations": {"flux-framework.org/end":
           "{\"type\": \"Complete\", \"reason\": \"CommandSucceeded\", \"message\": \"m\"}"}},
           "status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "DeadlineExceeded", "message": "x"}]}})"},
      {"a Job that is held never comes to its end", "Failed", "True CommandFailed: m",
       R"({"metadata": {"annotations": {"flux-framework.org/end":
           "{\"type\": \"Failed\", \"reason\": \"CommandFailed\", \"message\": \"m\"}"}},
           "spec": {"suspend": true}})"},
      {"a Job that was told to give up, and has not yet", "Ready",
       "False Finished: The MiniCluster has ended.",
       R"({"metadata": {"annotations": {"flux-framework.org/end":
           "{\"type\": \"Failed\", \"reason\": \"CommandFailed\", \"message\": \"m\"}"}}})"},
      {"tried too often", "Failed",
       "True BackoffLimitExceeded: Job has reached the limit; pod sample-0, container sample ended "
       "with code 241: no flux",
       R"({"status": {"conditions": [{"type": "Failed", "status": "True",
           "reason": "BackoffLimitExceeded", "message": "Job has reached the limit"}]}})",
       R"({"status": {"phase": "Failed", "containerStatuses": [{"name": "sample", "state":
            {"terminated": {"exitCode": 241, "message": "no flux"}}}]}})"},
  };
  for (const ProgressCase& c : cases) {
    Observed seen = test::observed(test::cluster(c.cluster));
    if (*c.job != '\0') test::add_owned(seen, test::job(c.job));
    if (c.lead != nullptr) seen.pods.push_back(test::pod("0", c.lead));
    if (c.follower != nullptr) seen.pods.push_back(test::pod("1", c.follower));
    EXPECT_EQ(condition(status_of(seen), c.type), c.expected) << c.name;
  }
}

TEST(JobConditions, KueuesWordIsPhaseReasonAndSentence) {
  const json of = status_of(in_queue("{}"));
  EXPECT_EQ(of["phase"], "Queued");
  EXPECT_EQ(condition(of, "Ready"), "False Inadmissible: LocalQueue x doesn't exist");
  EXPECT_EQ(condition(of, "Suspended"), "True Queued: LocalQueue x doesn't exist");
}

TEST(JobConditions, KueuesWordIsNotAboutAJobThatRunsOrThatWeHold) {
  const json ours = status_of(
      in_queue(R"({"metadata": {"annotations": {"flux-framework.org/suspended": "true"}}})"));
  EXPECT_EQ(ours["phase"], "Suspended");
  EXPECT_EQ(condition(ours, "Ready"), "False Suspended: The Job is suspended and has no pods.");
  const json runs = status_of(in_queue(R"({"spec": {"suspend": false}})"));
  EXPECT_EQ(runs["phase"], "Starting");
  EXPECT_EQ(condition(runs, "Suspended"), "");
}

// The states of two brokers' pods on the way to each end, and the last reported phase.
TEST(JobConditions, FromTheCommandsEndOnThePhaseDoesNotGoBack) {
  const auto lead = [](int code) {
    return R"({"status": {"phase": ")" + std::string(code == 0 ? "Succeeded" : "Failed") +
           R"(", "containerStatuses": [{"name": "sample", "state": {"terminated": {"exitCode": )" +
           std::to_string(code) + R"(, "finishedAt": "2026-01-01T00:01:00Z"}}}]}})";
  };
  const std::string told =
      R"({"status": {"phase": "Succeeded", "containerStatuses": [{"name": "sample", "state":
          {"terminated": {"exitCode": 0, "message": "the command ended with code 7",
                          "finishedAt": "2026-01-01T00:01:00Z"}}}]}})";
  const struct {
    const char* name;
    std::string lead, follower;
    const char* before;
    const char* phase;
    const char* reason;
  } cases[] = {
      {"all run", kReadyPod, kReadyPod, "Running", "Running", "QuorumReached"},
      {"the followers were told and have gone", kReadyPod, told, "Running", "Running", "Finished"},
      {"the lead has ended first", lead(0), kReadyPod, "Running", "Running", "Finished"},
      {"the command failed", lead(7), kReadyPod, "Running", "Running", "Finished"},
      {"it failed before it was seen ready", lead(7), kReadyPod, "Starting", "Starting",
       "Finished"},
      {"the status was lost", lead(7), kReadyPod, "", "Running", "Finished"},
      {"the lead is tried again", lead(246), kReadyPod, "Running", "Starting", "PodFailing"},
  };
  for (const auto& c : cases) {
    json cluster = test::cluster();
    if (*c.before != '\0') cluster["status"]["phase"] = c.before;
    Observed seen = test::observed(cluster, {test::job(R"({"status": {"ready": 2}})")});
    seen.pods = {test::pod("0", c.lead.c_str()), test::pod("1", c.follower.c_str())};
    const json now = status_of(seen);
    EXPECT_EQ(now["phase"], c.phase) << c.name;
    EXPECT_EQ(member_of(now, "Ready", "reason"), c.reason) << c.name;
    EXPECT_EQ(now["ready"], c.lead == kReadyPod ? 2 : 1) << c.name;
  }
}

TEST(JobConditions, AFollowerThatFailedIsNotReadyForAsLongAsTheJobSaysSo) {
  Observed seen = test::observed(test::cluster(), {test::job(R"({"status": {"ready": 2}})")});
  seen.pods = {test::pod("0", kReadyPod), test::pod("1", R"({"status": {"phase": "Failed",
      "containerStatuses": [{"name": "sample", "state": {"terminated": {"exitCode": 247}}}]}})")};
  const json now = status_of(seen);
  EXPECT_EQ(now["ready"], 1);
  EXPECT_EQ(now["phase"], "Starting");
  EXPECT_EQ(member_of(now, "Ready", "reason"), "PodFailing");
}

}  // namespace
}  // namespace mc::controller
