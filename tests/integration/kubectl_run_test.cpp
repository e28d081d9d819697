#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "tests/integration/nodes_story.h"
#include "tests/integration/pod_logs.h"
#include "tests/support/folders.h"
#include "tests/support/plugin.h"
#include "tests/support/stopwatch.h"

// `kubectl minicluster run` and `wait` with a real API server, on nodes that kwok simulates. There
// are no containers and no logs, so the test plays the kubelet where a story needs a log;
// e2e/stories/kubectl_run_test.cpp has real ones.
namespace mc::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr seconds kSoon{30};

class KubectlRun : public OnNodes {
 protected:
  using Flags = std::vector<std::string>;

  // `run NAME` with two nodes, followed until it is said to run.
  std::unique_ptr<Process> start(const std::string& name, const Flags& flags = {}) {
    std::vector<std::string> arguments = {"run", name, "--image=ubuntu:noble", "-N", "2"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.insert(arguments.end(), {"--", "hostname"});
    auto process = plugin_.start(arguments);
    EXPECT_TRUE(eventually([&] { return process->err().contains(name + ": running\n"); }))
        << process->err();
    return process;
  }

  Plugin plugin_{kubectl};
};

class KubectlRunTo : public KubectlRun, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Code, KubectlRunTo, ::testing::Values(0, 7));

TEST_P(KubectlRunTo, ItEndsWithTheCodeOfTheCommandAndItsOutputIsTheLog) {
  const NodeLogs logs(kubectl, "one\nminicluster: phase=end\n\ntwo");
  const auto process = start("code");
  end_lead("code", GetParam());
  wait("code", GetParam() == 0 ? "Complete" : "Failed");
  const IdleStopwatch watch;
  EXPECT_EQ(process->wait(kSoon), GetParam()) << process->err();
  EXPECT_LT(watch.elapsed(), seconds(1));
  EXPECT_EQ(process->out(), "one\n\ntwo");
  EXPECT_THAT(process->err(), StartsWith("minicluster/code created\n"));
  EXPECT_EQ(process->err().contains("The command ended with code 7"), GetParam() == 7);
  EXPECT_EQ(plugin_({"wait", "code"}).code, GetParam());
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlRun, WithoutATerminalThereIsALineForEachChangeAndWhatBlocksIsToldOnce) {
  const auto process =
      plugin_.start({"run", "large", "--image=ubuntu:noble", "-N", "3", "--set",
                     "spec.containers[0].resources.requests.cpu=900", "--", "hostname"});
  ASSERT_TRUE(eventually([&] { return process->err().contains("Unschedulable: "); }))
      << process->err();
  ASSERT_TRUE(eventually([&] { return process->err().contains("ready 2/3"); })) << process->err();
  nodes_->add("large", 5000);
  ASSERT_TRUE(eventually([&] { return process->err().contains("large: running\n"); }))
      << process->err();
  const std::string said = process->err();
  EXPECT_EQ(count(said, "Unschedulable: pod large-"), 1) << said;
  EXPECT_THAT(said, AllOf(HasSubstr("large: scheduled "), HasSubstr("0/2 nodes are available")));
  EXPECT_EQ(process->out(), "");
  end_lead("large", 0);
  EXPECT_EQ(process->wait(kSoon), 0);
}

TEST_F(KubectlRun, ALogThatCannotBeReadIsSaidAndTheCodeIsStillTheCommands) {
  const auto process = start("mute");
  end_lead("mute", 7);
  EXPECT_EQ(process->wait(kSoon), 7);
  EXPECT_EQ(process->out(), "");
  // Each sentence of the API server once; it may have more than one.
  const std::vector<std::string> said = lines_of(process->err());
  EXPECT_THAT(said, Contains(HasSubstr("cannot be read: ")));
  EXPECT_EQ(std::set(said.begin(), said.end()).size(), said.size()) << process->err();
}

TEST_F(KubectlRun, DetachedItEndsAndWaitFollows) {
  const Outcome made =
      plugin_({"run", "later", "--image=ubuntu:noble", "-N2", "--detach", "--", "hostname"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "minicluster/later created\n");
  const Outcome ready = plugin_({"wait", "later", "--for=ready"});
  EXPECT_EQ(ready.code, 0) << ready.err;
  const Outcome timed_out = plugin_({"wait", "later", "--timeout=1s"});
  EXPECT_EQ(timed_out.code, 124);
  EXPECT_EQ(timed_out.err,
            "error: timed out waiting for minicluster/later: its phase is Running\n");
  const auto waiting = plugin_.start({"wait", "later"});
  end_lead("later", 7);
  EXPECT_EQ(waiting->wait(kSoon), 7);
  EXPECT_EQ(waiting->err(), "error: minicluster/later has failed: The command ended with code 7\n");
  EXPECT_EQ(plugin_({"wait", "later", "--for=ready"}).code, 7) << "at once, with the reason";
}

TEST_F(KubectlRun, AttachFollowsFromTheBeginningAndCtrlCLeavesItRunning) {
  const NodeLogs logs(kubectl, "one\ntwo");
  const Outcome made =
      plugin_({"submit", "later", "--image=ubuntu:noble", "-N2", "-t", "5", "--", "hostname"});
  EXPECT_EQ(made.out, "minicluster/later created\n") << made.err;
  EXPECT_EQ(kubectl.get({"minicluster", "later"})["spec"]["deadlineSeconds"], 300);
  const auto left = plugin_.start({"attach", "later"});
  ASSERT_TRUE(eventually([&] { return left->err().contains("later: running\n"); })) << left->err();
  left->signal(SIGINT);
  EXPECT_EQ(left->wait(kSoon), 130);
  EXPECT_THAT(left->err(),
              HasSubstr("still running. To follow it again: kubectl minicluster attach "));
  EXPECT_EQ(status("later")["phase"], "Running");
  const auto attached = plugin_.start({"attach", "later"});
  ASSERT_TRUE(eventually([&] { return attached->err().contains("later: running\n"); }));
  end_lead("later", 7);
  EXPECT_EQ(attached->wait(kSoon), 7) << attached->err();
  EXPECT_EQ(attached->out(), "one\ntwo");
  const Outcome again = plugin_({"attach", "later"});
  EXPECT_EQ(again.code, 7) << "also after the end: " << again.err;
  EXPECT_EQ(again.out, "one\ntwo");
  EXPECT_EQ(plugin_({"attach", "nobody"}).err,
            "error: miniclusters.flux-framework.org \"nobody\" not found\n");
}

TEST_F(KubectlRun, CancelDeletesWhereItNeedsNotAsk) {
  make("unwanted");
  EXPECT_EQ(plugin_({"cancel", "unwanted"}).code, 2);
  EXPECT_FALSE(kubectl.get({"minicluster", "unwanted"}).is_null());
  const Outcome cancelled = plugin_({"cancel", "unwanted", "--yes"});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", "unwanted"}).is_null(); }));
}

TEST_F(KubectlRun, ATimeOutSaysWhatBlocks) {
  plugin_({"run", "stuck", "--image=ubuntu:noble", "--detach", "--set",
           "spec.containers[0].resources.requests.cpu=9000", "--", "hostname"});
  ASSERT_TRUE(eventually([&] {
    return condition(kubectl, "stuck", "Ready", "False").value_or("").contains("nodes are");
  }));
  const Outcome outcome = plugin_({"wait", "stuck", "--timeout=1s"});
  EXPECT_EQ(outcome.code, 124);
  EXPECT_THAT(outcome.err, HasSubstr("minicluster/stuck: Unschedulable: pod stuck-0-"));
}

TEST_F(KubectlRun, WhatHasNotStartedInTimeIsDeletedWithTheReason) {
  const auto process =
      plugin_.start({"run", "stuck", "--image=ubuntu:noble", "--start-timeout=5s", "--set",
                     "spec.containers[0].resources.requests.cpu=9000", "--", "hostname"});
  EXPECT_EQ(process->wait(kSoon), 124);
  EXPECT_THAT(lines_of(process->err()),
              Contains(AllOf(StartsWith("error: minicluster/stuck did not start within 5s: "
                                        "Unschedulable: pod stuck-0-"),
                             HasSubstr("nodes are available"))));
  EXPECT_EQ(process->out(), "");
  EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", "stuck"}).is_null(); }));
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlRun, WhatHasStartedInTimeRunsOn) {
  const auto began = std::chrono::steady_clock::now();
  const auto process = start("quick", {"--start-timeout=15s"});
  std::this_thread::sleep_until(began + seconds(17));
  end_lead("quick", 7);
  EXPECT_EQ(process->wait(kSoon), 7) << process->err();
  EXPECT_THAT(process->err(), Not(HasSubstr("has not started")));
}

TEST_F(KubectlRun, ADryRunPrintsWhatIsCreatedAndWhatAdmissionWouldRefuse) {
  const Outcome fine = plugin_({"run", "dry", "--image=ubuntu:noble", "-N", "2", "-n", "4", "--env",
                                "A=b", "--dry-run", "--", "echo", "$HOME"});
  EXPECT_EQ(fine.code, 0) << fine.err;
  EXPECT_EQ(fine.err, "");
  EXPECT_EQ(kubectl({"create", "--dry-run=server", "-f", "-"}, fine.out).code, 0) << fine.out;
  EXPECT_TRUE(kubectl.get({"minicluster", "dry"}).is_null());
  const Outcome wrong = plugin_({"run", "dry", "--image=ubuntu:noble", "--set", "spec.tasks=-1",
                                 "--set", "spec.minSize=9", "--dry-run", "--", "hostname"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("minSize: 9"));
  EXPECT_THAT(wrong.err, StartsWith("The MiniCluster \"dry\" is invalid:\n* spec.minSize: "));
}

TEST_F(KubectlRun, ARefusalReadsAsInKubectl) {
  const Outcome wrong = plugin_({"run", "wrong", "--image=ubuntu:noble", "--set", "spec.tasks=-1",
                                 "--set", "spec.minSize=9", "--", "hostname"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.out, "");
  EXPECT_THAT(lines_of(wrong.err),
              ElementsAre("The MiniCluster \"wrong\" is invalid:", StartsWith("* spec.minSize: "),
                          StartsWith("* spec.tasks: ")));
  make("taken");
  const Outcome taken = plugin_({"run", "taken", "--image=ubuntu:noble", "--", "hostname"});
  EXPECT_EQ(taken.code, 1);
  EXPECT_EQ(taken.err, "error: miniclusters.flux-framework.org \"taken\" already exists\n");
  EXPECT_EQ(plugin_({"wait", "nobody"}).err,
            "error: miniclusters.flux-framework.org \"nobody\" not found\n");
}

TEST_F(KubectlRun, AQuotasRefusalIsItsSentence) {
  kubectl.must({"create", "quota", "none", "--hard=count/miniclusters.flux-framework.org=0"});
  ASSERT_TRUE(
      eventually([&] { return kubectl.get({"quota", "none"})["status"].contains("hard"); }));
  const Outcome outcome = plugin_({"run", "x", "--image=ubuntu:noble", "--", "hostname"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(StartsWith("error: "), HasSubstr("quota: none")));
}

TEST_F(KubectlRun, AFilesMiniClusterIsRunAndFlagsChangeIt) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "x.yaml";
  std::ofstream(file) << minicluster("of-file", {{"size", 3}}).dump();
  const Outcome outcome = plugin_({"run", "mine", "-f", file, "-N", "2", "--detach"});
  EXPECT_EQ(outcome.out, "minicluster/mine created\n") << outcome.err;
  const json made = kubectl.get({"minicluster", "mine"});
  EXPECT_EQ(made["spec"]["size"], 2);
  EXPECT_EQ(made["spec"]["logging"]["quiet"], true);
}

TEST_F(KubectlRun, AScriptIsTheCommandAndItsDirectivesAreFlags) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "job.sh";
  const std::string text = "#!/bin/bash\n#SBATCH -N 2 -J Batch_1\nflux run -N 2 hostname\n";
  std::ofstream(file) << text;
  const auto process = plugin_.start({"run", "--image=ubuntu:noble", file, "-N", "a b"});
  ASSERT_TRUE(eventually([&] { return process->err().contains("batch-1: running\n"); }))
      << process->err();
  const json spec = kubectl.get({"minicluster", "batch-1"})["spec"];
  EXPECT_EQ(spec["size"], 2);
  EXPECT_EQ(spec["containers"][0]["launcher"], true);
  EXPECT_EQ(spec["containers"][0]["commands"]["script"],
            "#!/bin/bash\nset -- '-N' 'a b'\n" + text.substr(text.find('\n') + 1));
  EXPECT_THAT(process->err(), Not(HasSubstr("Warning")));
  end_lead("batch-1", 7);
  EXPECT_EQ(process->wait(kSoon), 7) << process->err();
  std::ofstream(file) << "#!/bin/bash\n#SBATCH --hint=nomultithread\n";
  const Outcome wrong = plugin_({"submit", "--image=ubuntu:noble", file});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, StartsWith("error: " + file + ":2: unknown flag: --hint=nomultithread"));
}

TEST_F(KubectlRun, ADeletionMeanwhileIsSaidAndNotThatKubectlSaidNothing) {
  const NodeLogs logs(kubectl, "one\n", NodeLogs::Then::StaysOpen);
  const auto process = start("gone");
  kubectl.must({"delete", "minicluster", "gone", "--wait=false"});
  EXPECT_EQ(process->wait(kSoon), 1) << process->err();
  EXPECT_EQ(count(process->err(), "error: minicluster/gone was deleted before it ended\n"), 1);
  EXPECT_THAT(process->err(), Not(HasSubstr("without a message")));
}

TEST_F(KubectlRun, CtrlCAsksOnceAndDeletesTheSecondTime) {
  const auto process = start("stopped");
  process->signal(SIGINT);
  ASSERT_TRUE(eventually([&] { return process->err().contains("Ctrl-C again"); }));
  EXPECT_THAT(process->err(),
              HasSubstr("Ctrl-\\ to stop following it. To follow it again: kubectl minicluster "
                        "attach stopped"));
  EXPECT_FALSE(kubectl.get({"minicluster", "stopped"}).is_null());
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(kSoon), 130);
  EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", "stopped"}).is_null(); }));
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlRun, OtherSignalsLeaveItRunning) {
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT}) {
    const std::string name = "signal-" + std::to_string(signal);
    const auto process = start(name, signal == SIGQUIT ? Flags{"--rm"} : Flags{});
    process->signal(signal);
    EXPECT_EQ(process->wait(kSoon), 128 + signal);
    EXPECT_THAT(process->err(), HasSubstr("kubectl minicluster attach " + name));
    EXPECT_EQ(status(name)["phase"], "Running");
  }
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

// `timeout 60 kubectl minicluster run --rm ...`, and a launcher that goes away.
TEST_F(KubectlRun, WithRmTheyDeleteIt) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const std::string name = "removed-" + std::to_string(signal);
    const auto process = start(name, {"--rm"});
    process->signal(signal);
    EXPECT_EQ(process->wait(kSoon), 128 + signal) << process->err();
    EXPECT_THAT(process->err(), HasSubstr(name + ": deleted\n"));
    EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", name}).is_null(); }));
  }
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlRun, RmDeletesAtTheEndAndKeepsTheCode) {
  const auto process = start("removed", {"--rm"});
  end_lead("removed", 7);
  EXPECT_EQ(process->wait(kSoon), 7) << process->err();
  EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", "removed"}).is_null(); }));
}

TEST_F(KubectlRun, AClosedOutputEndsFollowingOnly) {
  const NodeLogs logs(kubectl, "line\n", NodeLogs::Then::BeginsAgain);
  const std::string line =
      plugin_.shell_line({"run", "piped", "--image=ubuntu:noble", "--", "hostname"});
  const Outcome outcome = test::run({"bash", "-c", line + "| head -n 2; echo ${PIPESTATUS[0]}"},
                                    plugin_.options(), kSoon);
  EXPECT_EQ(outcome.out, "line\nline\n141\n") << outcome.err;
  EXPECT_FALSE(kubectl.get({"minicluster", "piped"}).is_null());
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlRun, NothingIsLeftBehindIfItOrItsParentIsKilled) {
  const NodeLogs logs(kubectl, "one\n", NodeLogs::Then::StaysOpen);
  {
    const auto process = start("killed");
    EXPECT_THAT(plugin_.left(), Not(IsEmpty()));
    process->signal(SIGKILL);
    EXPECT_EQ(process->wait(kSoon), 128 + SIGKILL);
  }
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
  const std::string line =
      plugin_.shell_line({"run", "orphan", "--image=ubuntu:noble", "--", "hostname"});
  {
    Process parent({"sh", "-c", line + "& wait"}, plugin_.options());
    ASSERT_TRUE(eventually([&] { return parent.err().contains("orphan: running\n"); }))
        << parent.err();
    parent.signal(SIGKILL);
    EXPECT_EQ(parent.wait(kSoon), 128 + SIGKILL);
  }
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
  EXPECT_FALSE(kubectl.get({"minicluster", "orphan"}).is_null());
}

}  // namespace
}  // namespace mc::test
