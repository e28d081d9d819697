#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"
#include "tests/support/folders.h"
#include "tests/support/loopback_server.h"

// The end of the container that runs Flux: its exit code, the last lines of its log, and its
// termination message.
namespace mc::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class End : public ::testing::TestWithParam<bool> {
 protected:
  static std::string written_for_kubelet(const PodDir& pod) {
    return text_of(pod.file("termination-log"));
  }
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, End, ::testing::Bool(), shell_name);

TEST_P(End, CodeOfTheCommandIsTheCodeOfThePod) {
  for (const char* mode : {"submit", "launcher", "batch", "script", "wrap", "timed", "post"}) {
    SCOPED_TRACE(mode);
    api::MiniCluster spec = cluster("sh -c 'exit 7'");
    api::Container& runner = spec.spec.containers[0];
    runner.launcher = mode == std::string("launcher");
    runner.batch = mode == std::string("batch");
    spec.spec.flux.wrap = mode == std::string("wrap") ? "env,-uX" : "";
    spec.spec.logging.timed = mode == std::string("timed");
    if (mode == std::string("post")) runner.commands.post = "echo after";
    if (mode == std::string("script")) {
      runner.command = "";
      runner.commands.script = "exit 7";
    }
    const PodDir pod(spec, GetParam() || runner.batch);
    const Outcome outcome = pod.run_broker();
    EXPECT_EQ(outcome.code, 7) << outcome.out << outcome.err;
  }
}

// It may be that of a Secret.
TEST_P(End, ValueOfAVariableInTheCommandIsNotInTheLog) {
  api::MiniCluster spec = cluster("sh -c 'exit 0' \"$TOKEN\"");
  spec.spec.containers[0].commands.pre = "export TOKEN=hush";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("hush")));
  EXPECT_THAT(pod.calls(), HasSubstr("hush")) << "the command has it";
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("minicluster: runs: flux start"));
}

TEST_P(End, WrapperThatTheImageLacksIsFinalLikeACommandThatItLacks) {
  api::MiniCluster spec = cluster("echo hello", 2);
  spec.spec.flux.wrap = "no-such-tool,-f";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 127);
  constexpr const char* kSentence =
      "no-such-tool, the program of flux.wrap, is not in any folder of PATH: ";
  EXPECT_THAT(outcome.err, HasSubstr(std::string("minicluster: error: ") + kSentence));
  EXPECT_THAT(written_for_kubelet(pod), ::testing::StartsWith(kSentence));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[start]")));
  EXPECT_EQ(pod.run_broker().code, 127) << "in a container that is restarted";
  EXPECT_EQ(PodDir(spec, GetParam()).run_broker(1).code, 0) << "followers have no wrapper";
  spec.spec.interactive = true;
  spec.spec.containers[0].command = "";
  EXPECT_THAT(PodDir(spec, GetParam()).run("timeout 1 sh $operator/wait-0.sh").err,
              Not(HasSubstr("no-such-tool")));
}

TEST_P(End, SnippetThatEndsTheContainerWithCode0IsNamedForTheStatus) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.containers[0].commands.pre = "exit 0";
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.must_run_broker().out, Not(HasSubstr("hello")));
  EXPECT_EQ(written_for_kubelet(pod), "minicluster: error: pre ended with code 0");
  spec.spec.containers[0].commands.pre = "";
  spec.spec.containers[0].commands.post = "exit 0";
  const PodDir with_post(spec, GetParam());
  EXPECT_THAT(with_post.must_run_broker().out, HasSubstr("hello"));
  EXPECT_EQ(written_for_kubelet(with_post), "") << "after the command";
}

TEST(EndOfProxies, IsAskedForOverTheLoopbackOfThePod) {
  const auto asked = [](const char* command, bool with_bash, const char* restart_policy = "") {
    api::MiniCluster spec = cluster(command);
    spec.spec.pod.restart_policy = restart_policy;
    const PodDir pod(spec, with_bash);
    std::string first_line;
    {
      const LoopbackServer proxy([&](Connection& client) {
        const std::string head = client.request();
        first_line = head.substr(0, head.find('\r'));
        client.send({"HTTP/1.1 200 OK\r\n\r\n"});  // the script waits for it
      });
      pod.run("mc_proxies=" + std::to_string(proxy.port()) + "/quitquitquit; export mc_proxies\n" +
              kBroker);
    }
    return first_line;
  };
  const std::string post = "POST /quitquitquit HTTP/1.1";
  EXPECT_EQ(asked("true", true), post);
  EXPECT_EQ(asked("sh -c 'exit 7'", true), post);
  EXPECT_EQ(asked("true", true, "OnFailure"), post);
  EXPECT_EQ(asked("sh -c 'exit 7'", true, "OnFailure"), "") << "it runs again in this pod";
  EXPECT_EQ(asked("true", false), "") << "sh cannot connect";
}

TEST_P(End, ReservedCodeOfTheCommandIsFinalAndTold) {
  for (const char* code : {"137", "240", "245", "246", "247", "248", "249"}) {
    SCOPED_TRACE(code);
    api::MiniCluster spec = cluster("sh -c 'exit " + std::string(code) + "'", 2);
    spec.spec.logging.quiet = true;
    const PodDir pod(spec, GetParam());
    const Outcome outcome = pod.run_broker();
    EXPECT_EQ(outcome.code, 248);
    EXPECT_THAT(outcome.err, EndsWith("minicluster: error: the command ended with code " +
                                      std::string(code) + "\n"));
    EXPECT_EQ(written_for_kubelet(pod), "") << "the log's end is what is to be read";
    EXPECT_EQ(text_of(pod.file("mount/flux-operator-ended.txt")), std::string(code) + "\n");
  }
}

TEST_P(End, CodeThatIsTheCommandsOwnSpeaksForItself) {
  const PodDir pod(cluster("sh -c 'exit 7'"), GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 7);
  EXPECT_THAT(outcome.err, Not(HasSubstr("minicluster: error")));
  EXPECT_EQ(written_for_kubelet(pod), "");
}

TEST_P(End, SnippetThatEndsItAllIsNamed) {
  struct Snippet {
    const char* step;
    int index;
    std::string api::Commands::* snippet;
  };
  for (const Snippet& row :
       {Snippet{"init", 0, &api::Commands::init}, Snippet{"pre", 1, &api::Commands::pre},
        Snippet{"brokerPre", 0, &api::Commands::broker_pre},
        Snippet{"workerPre", 1, &api::Commands::worker_pre},
        Snippet{"post", 0, &api::Commands::post}}) {
    for (const auto& [code, ends] : {std::pair{3, 3}, {137, 248}, {246, 248}}) {
      SCOPED_TRACE(std::string(row.step) + " " + std::to_string(code));
      api::MiniCluster spec = cluster("echo ran", 2);
      spec.spec.containers[0].commands.*row.snippet = "exit " + std::to_string(code);
      const PodDir pod(spec, GetParam());
      const Outcome outcome = pod.run_broker(row.index);
      EXPECT_EQ(outcome.code, ends);
      EXPECT_THAT(outcome.err, EndsWith("minicluster: error: " + std::string(row.step) +
                                        " ended with code " + std::to_string(code) + "\n"));
    }
  }
}

TEST_P(End, BrokerThatEndsBeforeTheCommandIsNotTheCommand) {
  const PodDir pod(cluster("echo ran", 2), GetParam());
  pod.write("record/no-broker", "");
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 247);
  EXPECT_EQ(written_for_kubelet(pod),
            "the broker ended with code 1 before the command was started");
  EXPECT_FALSE(std::filesystem::exists(pod.file("mount/flux-operator-code.txt")));
}

TEST_P(End, BrokerThatEndsBadlyAfterTheCommandChangesNothing) {
  for (const int code : {0, 7}) {
    const PodDir pod(cluster("sh -c 'exit " + std::to_string(code) + "'", 2), GetParam());
    pod.write("record/bad-end", "");
    EXPECT_EQ(pod.run_broker().code, code);
    EXPECT_EQ(written_for_kubelet(pod), "");
  }
}

TEST_P(End, FollowerLostInMidJobIsToldAndTheFollowersAreNot) {
  const PodDir pod(cluster("sh -c 'exit 143'", 2), GetParam());
  pod.write("record/note", R"j("exception_note":"node failure on flux-sample-1 (shell rank 1)")j");
  EXPECT_EQ(pod.run_broker().code, 246);
  EXPECT_EQ(written_for_kubelet(pod), "flux-sample-1 was lost while the command ran");
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[exec]")));
}

TEST_P(End, FollowerThatHasLeftExplainsACommandThatWasKilledOnly) {
  for (const auto& [code, ends] : {std::pair{143, 246}, {7, 7}}) {
    const PodDir pod(cluster("sh -c 'exit " + std::to_string(code) + "'", 2), GetParam());
    pod.write("record/left", "flux-sample-1\n");
    EXPECT_EQ(pod.run_broker().code, ends);
  }
}

// As observed: a job's shell that can no longer reach its broker ends the job with 1.
TEST_P(End, FollowerThatHasLeftExplainsAnExceptionOfTheJob) {
  const PodDir pod(cluster("sh -c 'exit 1'", 2), GetParam());
  pod.write("record/left", "flux-sample-1\n");
  pod.write("record/note", R"("exception_occurred":true,"exception_type":"exec")");
  EXPECT_EQ(pod.run_broker().code, 246);
}

TEST_P(End, LauncherThatFailedWhileAFollowerLeftIsTriedAgainWhateverItsCode) {
  for (const auto& [code, ends] : {std::pair{7, 246}, {0, 0}}) {
    api::MiniCluster spec = cluster("sh -c 'exit " + std::to_string(code) + "'", 2);
    spec.spec.containers[0].launcher = true;
    const PodDir pod(spec, GetParam());
    pod.write("record/left", "flux-sample-1\n");
    EXPECT_EQ(pod.run_broker().code, ends);
  }
}

// Only Flux knows the jobs that a submit command of the user has started.
TEST_P(End, CodeOfAUsersSubmitCommandIsFinalUnlessAFollowerWasLost) {
  const struct {
    int code;
    const char* left;
    int ends;
  } cases[] = {{7, "", 7}, {137, "", 248}, {143, "", 143}, {7, "flux-sample-1\n", 246}};
  for (const auto& [code, left, ends] : cases) {
    SCOPED_TRACE(std::to_string(code) + " " + left);
    api::MiniCluster spec = cluster("sh -c 'exit " + std::to_string(code) + "'", 2);
    spec.spec.flux.submit_command = "flux run";
    const PodDir pod(spec, GetParam());
    pod.write("record/left", left);
    EXPECT_EQ(pod.run_broker().code, ends);
  }
}

TEST_P(End, FollowerHandsOnWhatItWasTold) {
  const PodDir pod(cluster("echo ran", 2), GetParam());
  EXPECT_EQ(pod.run_broker(1).code, 0);
  EXPECT_EQ(written_for_kubelet(pod), "the command ended with code 7");
}

// With restartPolicy OnFailure the kubelet restarts the container in its pod.
TEST_P(End, CommandThatFailedIsNotRunAgainInItsPod) {
  const PodDir pod(cluster("sh -c 'echo run >>$FAKE_FLUX/runs; exit 7'"), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null\n"
      "sh $operator/wait-0.sh; echo first $?; sh $operator/wait-0.sh; echo second $?");
  EXPECT_THAT(outcome.out, HasSubstr("first 7\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("minicluster: the command has already ended with code 7; it is "
                        "not run again\nsecond 7\n"));
  EXPECT_EQ(text_of(pod.file("record/runs")), "run\n");
}

// The kubelet starts the pod again, with its init container, and its volumes stay.
TEST_P(End, CommandThatHasEndedIsNotRunAgainAfterARestartOfItsNode) {
  const PodDir pod(cluster("sh -c 'echo run >>$FAKE_FLUX/runs; exit 7'"), GetParam());
  EXPECT_EQ(pod.run_broker().code, 7);
  pod.write("mount/flux-operator-saving.txt", "");  // of a lead that was told to end
  EXPECT_EQ(pod.run_broker().code, 7);
  EXPECT_EQ(text_of(pod.file("record/runs")), "run\n");
  EXPECT_FALSE(std::filesystem::exists(pod.file("mount/flux-operator-saving.txt")));
}

TEST_P(End, SignalAfterTheCommandLetsPostEndAndTheCodeIsTheCommands) {
  for (const int index : {0, 1}) {
    api::MiniCluster spec = cluster("sh -c 'exit 7'", 2);
    spec.spec.containers[0].commands.post = "kill -TERM $$; echo after";
    const PodDir pod(spec, GetParam());
    const Outcome outcome = pod.run_broker(index);
    EXPECT_EQ(outcome.code, index == 0 ? 7 : 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("after\n"));
  }
}

TEST_P(End, SignalThatEndsAWaitOfPostIsNotTheEndOfTheCommand) {
  api::MiniCluster spec = cluster("sh -c 'exit 7'");
  spec.spec.logging.strict = true;
  spec.spec.containers[0].commands.post = "sleep 60 & (sleep 0.5; kill -TERM $$) & wait $!";
  const PodDir pod(spec, GetParam());
  EXPECT_EQ(pod.run_broker().code, 7);
  EXPECT_EQ(text_of(pod.file("mount/flux-operator-code.txt")), "7 the command\n");
}

TEST_P(End, OfACommandThatCannotBeRecordedIsToldToNoFollower) {
  const PodDir pod(cluster("true", 2), GetParam());
  std::filesystem::remove(pod.file("bin/mv"));  // a link
  pod.write("bin/mv", "#!/bin/sh\ncase $3 in *-code.txt) exit 1 ;; esac\nexec /bin/mv \"$@\"\n");
  std::filesystem::permissions(pod.file("bin/mv"), std::filesystem::perms::owner_all);
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 247);
  EXPECT_THAT(outcome.err, HasSubstr("minicluster: error: cannot record in " +
                                     pod.file("mount/flux-operator-code.txt").string() +
                                     " that the command ended with code 0, so the command may "
                                     "run again\n"));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[exec]")));
}

TEST_P(End, WhatWasNotTheCommandsFailureIsTriedAgainInItsPod) {
  const PodDir pod(cluster("echo hello"), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null; touch $FAKE_FLUX/no-R\n"
      "sh $operator/wait-0.sh; echo first $?; rm $FAKE_FLUX/no-R\n"
      "sh $operator/wait-0.sh; echo second $?");
  EXPECT_THAT(outcome.out, HasSubstr("first 243\n"));
  EXPECT_THAT(outcome.out, HasSubstr("second 0\n"));
}

// As the kubelet does it with restartPolicyRules: the init container runs again, and the volumes
// stay.
TEST_P(End, LostTryRestartsThePodInItsPlaceUntilItHasDoneSoOftenEnough) {
  struct Case {
    const char* name;
    std::int64_t backoff_limit;
    std::vector<int> ends;
  };
  const Case cases[] = {
      {"three times", 7, {250, 250, 250, 246}},
      {"not more often than backoffLimit", 1, {250, 246}},
      {"never with backoffLimit 0", 0, {246}},
  };
  for (const auto& [name, backoff_limit, ends] : cases) {
    SCOPED_TRACE(name);
    api::MiniCluster spec = cluster("sh -c 'exit 143'", 2);
    spec.spec.restart_strategy = "InPlace";
    spec.spec.backoff_limit = backoff_limit;
    const PodDir pod(spec, GetParam());
    pod.write("record/left", "flux-sample-1\n");
    for (const int end : ends) {
      EXPECT_EQ(pod.run_broker().code, end);
      EXPECT_EQ(written_for_kubelet(pod), "flux-sample-1 was lost while the command ran");
    }
  }
}

TEST_P(End, PodDoesNotRestartInItsPlaceForWhatAnotherPodMayDoBetter) {
  api::MiniCluster spec = cluster("sh -c 'exit 7'", 2);
  spec.spec.restart_strategy = "InPlace";
  EXPECT_EQ(PodDir(spec, GetParam()).run_broker().code, 7) << "the command's own failure";
  const PodDir broken(spec, GetParam());
  broken.write("record/no-R", "");
  EXPECT_EQ(broken.run_broker().code, 243);
  EXPECT_EQ(PodDir(spec, GetParam()).run_broker(1).code, 0) << "a follower";
}

TEST_P(End, IsTheSameForAContainerThatIsStartedAgain) {
  for (const char* end : {"0 the command", "137 the command", "3 pre"}) {
    SCOPED_TRACE(end);
    const PodDir pod(cluster("echo ran"), GetParam());
    const Outcome outcome =
        pod.run("sh $operator/flux-init.sh >/dev/null; echo '" + std::string(end) +
                "' >$mount/flux-operator-code.txt; exec sh $operator/wait-0.sh");
    const std::string code = std::string(end).substr(0, std::string(end).find(' '));
    EXPECT_EQ(outcome.code, code == "137" ? 248 : std::stoi(code));
    EXPECT_EQ(pod.calls(), "");
  }
}

struct OwnFailure {
  int code;
  const char* before;  // shell text that breaks something
  bool batch;
  const char* sentence;
};

TEST(BrokerFailures, HaveAReservedCodeAndASentence) {
  for (const OwnFailure& c : {
           OwnFailure{240, "rm $mount/config/etc/flux/config/broker.toml", false,
                      "broker.toml; the init container did not finish its work\n"},
           OwnFailure{241, "rm ${PATH}/flux", false, "flux is not in any folder of PATH: "},
           OwnFailure{242, "rm $operator/curve.cert", false, "cannot copy "},
           OwnFailure{243, "touch $FAKE_FLUX/no-R", false, "flux R encode failed; "},
           OwnFailure{244, "", true, "a batch job needs bash in the image\n"},
       }) {
    SCOPED_TRACE(c.code);
    api::MiniCluster spec = cluster();
    spec.spec.containers[0].batch = c.batch;
    const PodDir pod(spec, false);
    const Outcome outcome = pod.run("sh $operator/flux-init.sh >/dev/null\n" +
                                    std::string(c.before) + "\nexec sh $operator/wait-0.sh");
    EXPECT_EQ(outcome.code, c.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("minicluster: error: "));
    EXPECT_THAT(outcome.err, HasSubstr(c.sentence));
  }
}

}  // namespace
}  // namespace mc::test
