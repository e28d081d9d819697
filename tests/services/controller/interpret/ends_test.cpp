#include "services/controller/interpret/ends.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "services/controller/cluster/end_text.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

const Runner kRunner{.name = "sample", .has_lead = true};
const Runner kElsewhere{.name = "sample", .has_lead = false};

constexpr const char* kBegan = "2026-01-01T00:00:00Z";
constexpr const char* kToldAt = "2026-01-01T00:10:00Z";
constexpr const char* kMuchLater = "2026-01-01T00:10:30Z";

// What status.exitCode must be by the words of an end.
std::optional<std::int64_t> code_in(const api::Condition& end) {
  if (end.reason == "CommandSucceeded") return 0;
  for (const std::string beginning :
       {"The command ended with code ", "The command or a snippet ended with code "}) {
    if (end.message.starts_with(beginning)) return std::stoll(end.message.substr(beginning.size()));
  }
  return std::nullopt;
}

std::string text(const std::optional<api::Condition>& condition) {
  if (condition) {
    EXPECT_EQ(condition->exit_code, code_in(*condition)) << condition->message;
  }
  return condition ? condition->type + " " + condition->reason + ": " + condition->message : "";
}

json terminated(int code, const std::string& message = "", const char* reason = "Error") {
  return {{"terminated",
           {{"exitCode", code},
            {"reason", code == 0 ? "Completed" : reason},
            {"message", message},
            {"startedAt", kBegan},
            {"finishedAt", kToldAt}}}};
}

// The pod with this index, with this state of the container that runs Flux.
Shared<Pod> pod(const char* index, const char* phase, const json& state,
                const char* created = kBegan) {
  const json patch = {
      {"metadata", {{"creationTimestamp", created}}},
      {"status",
       {{"phase", phase},
        {"containerStatuses", json::array({{{"name", "sample"}, {"state", state}}})}}}};
  return test::pod(index, patch.dump().c_str());
}

Shared<Pod> ended(const char* index, int code, const std::string& message = "") {
  return pod(index, code == 0 ? "Succeeded" : "Failed", terminated(code, message));
}

Shared<Pod> runs(const char* index, const char* since = kBegan) {
  return pod(index, "Running", {{"running", {{"startedAt", since}}}}, since);
}

TEST(Failure, IsToldOfWhoeverEnded) {
  const struct {
    const char* name;
    Pods pods;
    const char* expected;
  } cases[] = {
      {"all run", {runs("0"), runs("1")}, ""},
      {"a success", {ended("0", 0)}, ""},
      {"the command", {ended("0", 7)}, "Failed CommandFailed: The command ended with code 7."},
      {"its last words",
       {ended("0", 7, "step 1\nlost atom 3\n<6>broker.info[0]: exit\n")},
       "Failed CommandFailed: The command ended with code 7: step 1\nlost atom 3"},
      {"an error of ours that says more stays",
       {ended("0", 7, "minicluster: error: no archive was written\nminicluster: phase=end\n")},
       "Failed CommandFailed: The command ended with code 7: minicluster: error: no archive was "
       "written"},
      {"a reserved code of the command",
       {ended("0", 248, "Killed\nminicluster: error: the command ended with code 137\n")},
       "Failed CommandFailed: The command ended with code 137; 137 means that the process was "
       "killed, most often because "
       "memory ran out: raise the memory limit (resources.limits.memory), which also counts what "
       "is "
       "in /dev/shm: Killed"},
      {"a bus error",
       {ended("0", 135, "a stack of addresses")},
       "Failed CommandFailed: The command ended with code 135; 135 means a bus error, most often "
       "because /dev/shm is full: raise spec.pod.sharedMemory.size: a stack of addresses"},
      {"a reserved code that the log does not tell",
       {ended("0", 248, "bye")},
       "Failed CommandFailed: pod sample-0: the command or a snippet ended with a reserved code "
       "(137, or 240 to 250); see the log: bye"},
      {"the same of a follower",
       {ended("1", 248)},
       "Failed SnippetFailed: pod sample-1: a snippet ended with a reserved code (137, or 240 to "
       "250); see the log."},
      {"a snippet of the lead",
       {ended("0", 3, "no licence\nminicluster: error: brokerPre ended with code 3\n")},
       "Failed SnippetFailed: pod sample-0: brokerPre ended with code 3: no licence"},
      {"a snippet of a follower",
       {runs("0"), ended("1", 3, "no licence\nminicluster: error: workerPre ended with code 3\n")},
       "Failed SnippetFailed: pod sample-1: workerPre ended with code 3: no licence"},
      {"a snippet with a reserved code",
       {ended("1", 248, "minicluster: error: workerPre ended with code 244\n")},
       "Failed SnippetFailed: pod sample-1: workerPre ended with code 244."},
      {"a follower that nobody tells of",
       {runs("0"), ended("1", 3, "oops")},
       "Failed PodFailed: pod sample-1, container sample ended with code 3: oops"},
      {"a line that the command printed itself",
       {ended("0", 7, "minicluster: error: pre ended with code 3\n")},
       "Failed CommandFailed: The command ended with code 7."},
      {"no such program",
       {pod("0", "Failed", terminated(128, "exec: \"/bin/sh\": no such file", "StartError"))},
       "Failed ContainerCannotStart: pod sample-0, container sample cannot be started: exec: "
       "\"/bin/sh\": no such file"},
  };
  for (const auto& c : cases) EXPECT_EQ(text(failure(c.pods, kRunner)), c.expected) << c.name;
  for (const int code : {137, 240, 241, 242, 243, 244, 245, 246, 247, 249}) {
    EXPECT_EQ(text(failure({ended("0", code)}, kRunner)), "") << code;
  }
  EXPECT_EQ(text(failure({ended("0", 3)}, kElsewhere)),
            "Failed PodFailed: pod sample-0, container sample ended with code 3.");
}

TEST(Failure, OfThatOfAPodThatIsGoneTheJobTells) {
  const auto told = [](const std::string& message, const Runner& runner = kRunner) {
    return text(failure_in(message, "sample", runner));
  };
  EXPECT_EQ(told("Container sample for pod lab/sample-0-abcde failed with exit code 7 matching "
                 "FailJob rule at index 0"),
            "Failed CommandFailed: The command or a snippet ended with code 7; pod sample-0-abcde "
            "and its log are gone.");
  EXPECT_EQ(told("Container sample for pod lab/sample-1-abcde failed with exit code 3 matching"),
            "Failed PodFailed: The container ended with code 3; pod sample-1-abcde and its log are "
            "gone.");
  EXPECT_EQ(told("Container sample for pod lab/sample-0-abcde failed with exit code 7 matching",
                 kElsewhere),
            "Failed PodFailed: The container ended with code 7; pod sample-0-abcde and its log are "
            "gone.");
  EXPECT_EQ(told("Job has reached the specified backoff limit"), "");
  const std::string long_name(61, 'a');
  EXPECT_THAT(text(failure_in("Container a for pod lab/" + std::string(55, 'a') +
                                  "-0-abcde failed with exit code 7 matching",
                              long_name, kRunner)),
              ::testing::StartsWith("Failed CommandFailed: "))
      << "the Job controller cuts the Job's name";
}

constexpr const char* kTold = "the command ended with code 7";

TEST(LostLead, WhatItToldItsFollowersIsTheEnd) {
  const Shared<Pod> follower = ended("1", 0, kTold);
  const char* const kLost =
      "Failed CommandFailed: The command ended with code 7; the lead's pod was lost before it "
      "could report it.";
  const Shared<Pod> evicted = test::pod(
      "0", R"({"status": {"phase": "Failed", "reason": "Evicted", "message": "low on disk"}})");
  Pod deleted = *runs("0");
  deleted.metadata.deletion = deleted.metadata.created;
  Pod other_failed = *ended("0", 0);
  other_failed.phase = PodPhase::Failed;
  const json pending = {{"waiting", {{"reason", "PodInitializing"}}}};
  Pod restarted = *runs("0");
  restarted.containers[0].restarts = 1;
  Pod restarted_later = restarted;
  restarted_later.containers[0].started = runs("0", kMuchLater)->metadata.created;
  Pod waits = *pod("0", "Running", terminated(137));
  waits.containers[0].was_restarted = true;
  waits.containers[0].waiting.reason = "CrashLoopBackOff";
  const struct {
    const char* name;
    Pods pods;
    const char* expected;
  } cases[] = {
      {"the lead is still on its way", {runs("0"), follower}, ""},
      {"it was told to end, and still runs", {test::shared(deleted), follower}, ""},
      {"it has ended well", {ended("0", 0), follower}, ""},
      {"its container has ended well, and not its pod",
       {pod("0", "Running", terminated(0)), follower},
       ""},
      {"it has ended with its own code", {ended("0", 7), follower}, ""},
      {"it is gone", {follower}, kLost},
      {"it was evicted", {evicted, follower}, kLost},
      {"it was killed", {ended("0", 137), follower}, kLost},
      {"its broker ended", {ended("0", 247), follower}, kLost},
      {"it was told to end, and has", {ended("0", 249), follower}, kLost},
      {"the next one is on its way",
       {ended("0", 137), pod("0", "Pending", pending, kMuchLater), follower},
       kLost},
      {"the next one runs, and nobody saw how", {runs("0", kMuchLater), follower}, kLost},
      {"the next one was made in the same second", {runs("0", kToldAt), follower}, kLost},
      {"the kubelet waits before it starts it again", {test::shared(waits), follower}, kLost},
      {"killed, and about to be started again in its pod",
       {pod("0", "Running", terminated(137)), follower},
       kLost},
      {"started again in its pod long before", {test::shared(restarted), follower}, ""},
      {"started again in its pod after it", {test::shared(restarted_later), follower}, kLost},
      {"no follower was told", {ended("0", 137), runs("1")}, ""},
      {"a follower that ended well and was not told", {ended("0", 137), ended("1", 0)}, ""},
      {"it succeeded in a pod that failed for a sidecar",
       {test::shared(other_failed), runs("1")},
       "Complete CommandSucceeded: The command ended with code 0; the lead's pod was lost before "
       "it could report it."},
      {"a success",
       {ended("0", 137), ended("1", 0, "the command ended with code 0")},
       "Complete CommandSucceeded: The command ended with code 0; the lead's pod was lost before "
       "it could report it."},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(text(end_of_a_lost_lead(c.pods, kRunner)), c.expected) << c.name;
  }
  EXPECT_EQ(text(end_of_a_lost_lead({follower}, kElsewhere)), "") << "its lead is elsewhere";
}

TEST(TheCommandsEnd, IsKnownByAnyPod) {
  EXPECT_FALSE(has_command_ended({runs("0"), runs("1")}, kRunner));
  EXPECT_TRUE(has_command_ended({ended("0", 0), runs("1")}, kRunner));
  EXPECT_TRUE(has_command_ended({ended("0", 7), runs("1")}, kRunner));
  EXPECT_TRUE(has_command_ended({runs("0"), ended("1", 0, kTold)}, kRunner));
  EXPECT_TRUE(has_command_ended({runs("0"), ended("1", 3)}, kRunner)) << "it never will";
  EXPECT_FALSE(has_command_ended({ended("0", 246), runs("1")}, kRunner));
  EXPECT_FALSE(has_command_ended({runs("0"), ended("1", 0)}, kRunner));
  EXPECT_TRUE(has_command_ended({runs("0"), ended("1", 0)}, kElsewhere));
}

// As written by a kubelet with containerd. With cgroup v2, the whole container is killed.
constexpr const char* kKilledOnV2 = R"({
  "metadata": {"name": "sample-1-k4x2p", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
  "spec": {"containers": [{"name": "sample", "image": "app:1"}]},
  "status": {"phase": "Failed", "qosClass": "Burstable", "startTime": "2026-01-01T00:00:01Z",
    "conditions": [{"type": "Ready", "status": "False", "reason": "PodFailed"},
                   {"type": "PodScheduled", "status": "True"}],
    "initContainerStatuses": [{"name": "flux-view", "ready": true, "restartCount": 0, "started": false,
      "state": {"terminated": {"exitCode": 0, "reason": "Completed", "containerID": "containerd://a",
                "startedAt": "2026-01-01T00:00:02Z", "finishedAt": "2026-01-01T00:00:03Z"}}}],
    "containerStatuses": [{"name": "sample", "ready": false, "restartCount": 0, "started": false,
      "lastState": {},
      "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "containerID": "containerd://b",
                "startedAt": "2026-01-01T00:00:04Z", "finishedAt": "2026-01-01T00:01:00Z",
                "message": "step 1\n<6>broker.info[1]: online"}}}]}})";

// With cgroup v1, only one process is killed: here the command, whose code our entry point passes
// on.
constexpr const char* kKilledOnV1 = R"({
  "metadata": {"name": "sample-0-zz9qd", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
  "spec": {"containers": [{"name": "sample", "image": "app:1"}]},
  "status": {"phase": "Failed", "qosClass": "Burstable", "startTime": "2026-01-01T00:00:01Z",
    "containerStatuses": [{"name": "sample", "ready": false, "restartCount": 0, "started": false,
      "lastState": {},
      "state": {"terminated": {"exitCode": 248, "reason": "OOMKilled", "containerID": "containerd://b",
                "startedAt": "2026-01-01T00:00:04Z", "finishedAt": "2026-01-01T00:01:00Z",
                "message": "step 1\nminicluster: error: the command ended with code 137\n"}}}]}})";

// The same in a follower, which continued, learned of the end and succeeded.
constexpr const char* kWentOnOnV1 = R"({
  "metadata": {"name": "sample-1-k4x2p", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
  "status": {"phase": "Succeeded",
    "containerStatuses": [{"name": "sample", "ready": false, "restartCount": 0, "started": false,
      "state": {"terminated": {"exitCode": 0, "reason": "OOMKilled", "containerID": "containerd://b",
                "startedAt": "2026-01-01T00:00:04Z", "finishedAt": "2026-01-01T00:01:00Z",
                "message": "the command ended with code 137"}}}]}})";

TEST(Memory, AFailureForWantOfItSaysSo) {
  EXPECT_EQ(text(failure({test::pod("0", kKilledOnV1)}, kRunner)),
            "Failed CommandFailed: The command ended with code 137; pod sample-0-zz9qd, container "
            "sample was OOMKilled: raise its memory limit (resources.limits.memory): step 1");
  const Shared<Pod> lead = ended("0", 248, "minicluster: error: the command ended with code 137\n");
  EXPECT_EQ(text(failure({lead, test::pod("1", kWentOnOnV1)}, kRunner)),
            "Failed CommandFailed: The command ended with code 137; pod sample-1-k4x2p, container "
            "sample was OOMKilled: raise its memory limit (resources.limits.memory).");
  EXPECT_EQ(text(failure({test::pod("1", kKilledOnV2)}, kRunner)), "") << "it is tried again";
}

TEST(Memory, AThirdKillOfOneIndexIsTheEnd) {
  const auto killed = [](const char* index, const char* name) {
    json pod = json::parse(kKilledOnV2);
    pod["metadata"]["name"] = name;
    return test::pod(index, pod.dump().c_str());
  };
  const Pods twice = {killed("1", "sample-1-a"), killed("1", "sample-1-b"),
                      killed("2", "sample-2")};
  EXPECT_EQ(text(end_by_memory(twice)), "");
  Pods thrice = twice;
  thrice.push_back(killed("1", "sample-1-c"));
  EXPECT_EQ(text(end_by_memory(thrice)),
            "Failed OOMKilled: Tried 3 times; pod sample-1-a, container sample was OOMKilled: "
            "raise its memory limit (resources.limits.memory).");
  // The kubelet restarts it in its pod (restartPolicy OnFailure).
  const auto restarted = [](int times, const char* statuses) {
    const json container = {
        {"name", "helper"},
        {"restartCount", times},
        {"state", {{"running", {{"startedAt", kMuchLater}}}}},
        {"lastState", {{"terminated", {{"exitCode", 137}, {"reason", "OOMKilled"}}}}}};
    json patch = {
        {"spec",
         {{"initContainers", json::array({{{"name", "helper"}, {"restartPolicy", "Always"}}})}}},
        {"status", {{"phase", "Running"}}}};
    if (std::string(statuses) == "containerStatuses") patch.erase("spec");
    patch["status"][statuses] = json::array({container});
    return text(end_by_memory({test::pod("0", patch.dump().c_str())}));
  };
  EXPECT_EQ(restarted(2, "containerStatuses"), "");
  EXPECT_NE(restarted(3, "containerStatuses"), "");
  EXPECT_EQ(restarted(3, "initContainerStatuses"), "") << "a sidecar does not end the pod";
}

TEST(KeptEnd, IsWhatWasWrittenAndWhatEarlierVersionsWrote) {
  const api::Condition end{"Failed", true, "SnippetFailed", "pod x: pre ended with code 3: \"y\""};
  json job = test::job();
  EXPECT_FALSE(kept_end(read_job(job)).has_value());
  job["metadata"]["annotations"]["flux-framework.org/end"] = end_text(end);
  EXPECT_EQ(text(kept_end(read_job(job))), text(end));
  const auto earlier = [](const char* value) {
    json other = test::job();
    other["metadata"]["annotations"]["flux-framework.org/command-failure"] = value;
    return text(kept_end(read_job(other)));
  };
  EXPECT_EQ(earlier("7"), "Failed CommandFailed: The command ended with code 7.");
  EXPECT_EQ(earlier("7: lost atom 3"),
            "Failed CommandFailed: The command ended with code 7: lost atom 3");
  EXPECT_EQ(earlier(""), "");
}

}  // namespace
}  // namespace mc::controller
