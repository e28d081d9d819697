#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/api/model/names.h"
#include "tests/services/controller/render/pod_dir.h"
#include "tests/support/clusters.h"

// The entry point of the container that runs Flux, with bash and without.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Broker : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, Broker, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "bash" : "sh"; });

constexpr const char* kLeads = "[-Sbroker.cleanup-timeout=4s]";

// The options of a broker; `leads` is only for the lead.
std::string options(const PodDir& pod, const std::string& leads = "",
                    const std::string& more = "") {
  const std::string mount = pod.file("mount").string();
  return "[-Scron.directory=" + mount + "/config/etc/flux/system/cron.d][-Srundir=" + mount +
         "/config/run/flux][-Sstatedir=" + mount + "/config/var/lib/flux]" + leads +
         "[-Stbon.fanout=256]" + "[-Slocal-uri=local://" + mount + "/config/run/flux/local]" +
         more + "[-Stbon.connect_timeout=5s][-Slog-stderr-level=6][-Slog-stderr-mode=local]";
}
std::string lead(const PodDir& pod) {
  return "[sh][" + pod.file("operator/lead.sh").string() + "]";
}
std::string submits(const PodDir& pod) {
  return "[sh][" + pod.file("operator/submit.sh").string() + "][flux][submit]";
}
std::string start(const PodDir& pod) {
  return "[start][-o][--config][" + pod.file("mount/config/etc/flux/config").string() + "]";
}

TEST_P(Broker, LeadRunsTheCommandAsAJobAndShowsItsOutput) {
  const PodDir pod(cluster("echo hello 'my  world' && x $HOME_OF", 2), GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nhello my  world && x\n"));
  EXPECT_EQ(pod.calls(), "[R][encode][--hosts=flux-sample-[0-1]][--local]\n" + start(pod) +
                             options(pod, kLeads) + lead(pod) + submits(pod) +
                             "[-n1][echo][hello][my  world][&&][x]"
                             "\n[submit][-n1][echo][hello][my  world][&&][x]"
                             "\n[job][attach][--read-only][f123]"
                             "\n[setattr][log-stderr-level][0]"
                             "\n[exec][-n][-r][all][sh][-c][echo \"$1\" >\"$2\"][sh][0][" +
                             pod.file("mount/flux-operator-ended.txt").string() + "]\n");
  EXPECT_EQ(read_file(pod.file("mount/flux-operator-code.txt")), "0 the command\n");
}

TEST_P(Broker, LeadHasAllThatItsImageReliesOn) {
  const PodDir pod(cluster("sh -c 'echo $STATE_DIR $FLUX_OUTPUT_DIR $fluxsocket $PYTHONPATH; "
                           "echo $PATH'"),
                   GetParam());
  const Outcome outcome = pod.run_broker();
  const std::string mount = pod.file("mount").string();
  EXPECT_THAT(outcome.out, HasSubstr(mount + "/config/var/lib/flux " + pod.file("output").string() +
                                     " local://" + mount + "/config/run/flux/local " + mount +
                                     "/view/lib/python3.11/site-packages\n"));
  EXPECT_THAT(outcome.out, HasSubstr(":" + mount + "/view/bin\n"));
  for (const char* path :
       {"view/lib/python3.11/site-packages/flux.py", "software/flux",
        "config/etc/flux/config/broker.toml", "config/etc/flux/system/R",
        "config/etc/flux/system/hostlist", "config/var/lib/flux", "flux-view.sh", "flux-connect.sh",
        "load-fluxion.sh", "flux-operator-done.txt", "flux-operator-complete.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(pod.file("mount") / path)) << path;
  }
  EXPECT_EQ(pod.run("PATH=; . $mount/flux-view.sh; printf %s $fluxsocket").out,
            "local://" + mount + "/config/run/flux/local");
}

// Every Python process recompiles a module whose modification time differs from that in its
// compiled file.
TEST_P(Broker, ViewIsCopiedWithItsTimes) {
  const PodDir pod(cluster("echo hello"), GetParam());
  const std::string file = "view/lib/python3.11/site-packages/flux.py";
  const auto then = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365);
  std::filesystem::last_write_time(pod.file("image/" + file), then);
  EXPECT_EQ(pod.run_broker().code, 0);
  EXPECT_EQ(std::filesystem::last_write_time(pod.file("mount/" + file)), then);
}

TEST_P(Broker, ViewScriptHasTheEnvironmentOfFlux) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.flux.environment = {{"A", "it's $HOME"}, {"not.a.variable", "x"}};
  const PodDir pod(spec, GetParam());
  EXPECT_EQ(pod.run_broker().code, 0);
  EXPECT_EQ(pod.run("A=; . $mount/flux-view.sh; printf %s \"$A\"").out, "it's $HOME");
}

TEST_P(Broker, CertificateIsCopiedForTheBrokersUserOnly) {
  const PodDir pod(cluster(), GetParam());
  const Outcome outcome = pod.run_broker();
  const std::filesystem::path copy = pod.file("mount/config/curve/curve.cert");
  EXPECT_EQ(read_file(copy), "the certificate\n");
  EXPECT_EQ(std::filesystem::status(copy).permissions(), std::filesystem::perms::owner_read);
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("certificate\n")));
}

// A MiniCluster of size 8 in a queue of Kueue, which may admit 2.
api::MiniCluster in_queue(std::int64_t tasks) {
  api::MiniCluster out = cluster("hostname", 8);
  out.labels[std::string(api::kQueueLabel)] = "team";
  out.spec.min_size = 2;
  out.spec.tasks = tasks;
  return out;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

TEST_P(Broker, LeadAsksForAsMuchAsWasAdmitted) {
  const struct {
    std::int64_t tasks;
    const char *admitted, *words;
  } cases[] = {{8, "4", "[-N4][-n4]"}, {16, "4", "[-N4][-n8]"}, {0, "4", "[-N4]"},
               {8, "8", "[-N8][-n8]"}, {10, "3", "[-N3][-n4]"}, {2, "4", "[-n1]"},
               {6, "4", "[-n3]"}};
  for (const auto& [tasks, admitted, words] : cases) {
    SCOPED_TRACE(std::to_string(tasks) + " tasks, admitted " + admitted);
    const PodDir pod(in_queue(tasks), GetParam());
    write(pod.file("operator/admitted"), admitted);
    EXPECT_EQ(pod.run_broker().code, 0);
    EXPECT_THAT(pod.calls(), HasSubstr(std::string("\n[submit]") + words + "[hostname]\n"));
    EXPECT_THAT(pod.calls(), HasSubstr(std::string("[-Sbroker.quorum=") + admitted + "]"));
  }
}

// The controller writes the annotation as soon as it sees the pod, possibly after the pod's start.
TEST_P(Broker, LeadWaitsUntilItIsToldWhatWasAdmittedAndFollowersDoNot) {
  const PodDir pod(in_queue(8), GetParam());
  write(pod.file("operator/admitted"), "");
  std::filesystem::remove(pod.file("bin/sleep"));
  write(pod.file("bin/sleep"), "#!/bin/sh\nprintf 4 >$operator/admitted\n");
  std::filesystem::permissions(pod.file("bin/sleep"), std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(pod.run_broker().out, HasSubstr("minicluster: admitted 4 of 8 pods\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("\n[submit][-N4][-n4][hostname]\n"));
  write(pod.file("operator/admitted"), "");
  EXPECT_THAT(pod.run_broker(1).out, Not(HasSubstr("admitted")));
}

TEST_P(Broker, SnippetsAreOneShell) {
  api::MiniCluster spec = cluster("echo $A $B in $(pwd)");
  api::Commands& commands = spec.spec.containers[0].commands;
  commands.init = "A=one\ncd /";
  commands.pre = "B=$A-two\necho 'quo\"ted' `echo x`";
  commands.broker_pre = "B=$B-broker";
  commands.worker_pre = "B=$B-worker";
  commands.post = "echo post $B $fluxsocket";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_THAT(outcome.out, HasSubstr("quo\"ted x\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\none one-two-broker in /\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\npost one-two-broker local://"));
  EXPECT_THAT(pod.run_broker(1).out, HasSubstr("\npost one-two-worker local://"));
}

TEST_P(Broker, SnippetsFindAllThatThePublicOperatorPrepares) {
  api::MiniCluster spec = cluster("echo hello", 2);
  spec.spec.logging.strict = true;
  const std::string found =
      ". $viewbase/flux-view.sh\n"
      "for f in $configroot/etc/flux/system/R $curvepath $STATE_DIR $FLUX_OUTPUT_DIR $cfg; do\n"
      "  [ -e $f ] || exit 9\n"
      "done\n"
      "echo \"$step: $hosts $mainHost $workdir $viewbin $software $command ; $brokerOptions\"\n";
  api::Commands& commands = spec.spec.containers[0].commands;
  commands.pre = "step=pre\n" + found;
  commands.broker_pre = "step=broker\n" + found;
  commands.worker_pre = "step=worker\n" + found;
  const PodDir pod(spec, GetParam());
  const std::string mount = pod.file("mount").string();
  const std::string said = ": flux-sample-[0-1] flux-sample-0 " +
                           std::filesystem::current_path().string() + " " + mount + "/view/bin " +
                           mount + "/software echo hello ; -Scron.directory=" + mount + "/config/";
  const Outcome lead = pod.run_broker();
  EXPECT_EQ(lead.code, 0) << lead.err;
  EXPECT_THAT(lead.out, AllOf(HasSubstr("pre" + said), HasSubstr("\nbroker" + said)));
  const Outcome follower = pod.run_broker(1);
  EXPECT_EQ(follower.code, 0) << follower.err;
  EXPECT_THAT(follower.out, AllOf(HasSubstr("pre" + said), HasSubstr("\nworker" + said)));
}

TEST_P(Broker, SnippetsMayChangeTheCommandAndTheBrokersOptions) {
  api::MiniCluster spec = cluster("echo 'a  b' ; $X");
  api::Commands& commands = spec.spec.containers[0].commands;
  commands.pre = "X=x\ncommand=\"$command 'more  of it'\"";
  commands.broker_pre = "brokerOptions=\"$brokerOptions -Slog-filename='/tmp/a b'\"";
  const PodDir pod(spec, GetParam());
  EXPECT_EQ(pod.run_broker().code, 0);
  EXPECT_THAT(pod.calls(), HasSubstr("[submit][-n1][echo][a  b][;][x][more  of it]\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("[-Slog-stderr-mode=local][-Slog-filename=/tmp/a b]"));
}

TEST_P(Broker, SnippetMayBringTheCommand) {
  api::MiniCluster spec = cluster("");
  spec.spec.containers[0].commands.pre = "command='echo brought'";
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.run_broker().out, HasSubstr("\nbrought\n"));
}

TEST_P(Broker, CommandThatASnippetBreaksIsTold) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.containers[0].commands.pre = "command=\"$command '\"";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err, "");
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[start]")));
}

TEST_P(Broker, VariablesOfThePodsEnvironmentStayTheUsers) {
  api::MiniCluster spec = cluster("env");
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run(
      "export command=mine hosts=mine software=mine brokerOptions=mine\n"
      "sh $operator/flux-init.sh >/dev/null && exec sh $operator/wait-0.sh");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"command", "hosts", "software", "brokerOptions"}) {
    EXPECT_THAT(outcome.out, HasSubstr("\n" + std::string(name) + "=mine\n"));
  }
}

TEST_P(Broker, FluxMayComeWithASnippet) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.containers[0].commands.pre = "PATH=$PATH:$FAKE_FLUX/late";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run(
      "mkdir $FAKE_FLUX/late; mv ${PATH}/flux $FAKE_FLUX/late\n"
      "sh $operator/flux-init.sh >/dev/null && exec sh $operator/wait-0.sh");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(pod.calls(), HasSubstr("[R][encode]"));
}

TEST_P(Broker, UserWithoutAHomeHasOneInThePod) {
  const PodDir pod(cluster("sh -c 'echo $HOME $USER'"), GetParam());
  const auto homes = [&](const std::string& home) {
    return pod
        .run("export " + home +
             " USER=x\nsh $operator/flux-init.sh >/dev/null && exec sh $operator/wait-0.sh")
        .out;
  };
  EXPECT_THAT(homes("HOME=/"), HasSubstr("\n/home/flux-operator flux-operator\n"));
  EXPECT_THAT(homes("HOME=/home/me"), HasSubstr("\n/home/me x\n"));
}

TEST_P(Broker, CodeOfTheCommandIsTheCodeOfThePod) {
  for (const char* mode : {"submit", "launcher", "batch", "script", "wrap", "timed", "post"}) {
    SCOPED_TRACE(mode);
    api::MiniCluster spec = cluster("sh -c 'exit 7'");
    api::Container& runner = spec.spec.containers[0];
    runner.launcher = mode == std::string("launcher");
    runner.batch = mode == std::string("batch");
    spec.spec.flux.wrap = mode == std::string("wrap") ? "strace,-f" : "";
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

// With restartPolicy OnFailure the kubelet restarts the container in its pod.
TEST_P(Broker, CommandThatFailedIsNotRunAgainInItsPod) {
  const PodDir pod(cluster("sh -c 'echo run >>$FAKE_FLUX/runs; exit 7'"), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null\n"
      "sh $operator/wait-0.sh; echo first $?; sh $operator/wait-0.sh; echo second $?");
  EXPECT_THAT(outcome.out, HasSubstr("first 7\n"));
  EXPECT_THAT(outcome.out, HasSubstr("minicluster: the command has ended with code 7 before; it is "
                                     "not run again\nsecond 7\n"));
  EXPECT_EQ(read_file(pod.file("record/runs")), "run\n");
}

TEST_P(Broker, WhatWasNotTheCommandsFailureIsTriedAgainInItsPod) {
  const PodDir pod(cluster("echo hello"), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null; touch $FAKE_FLUX/no-R\n"
      "sh $operator/wait-0.sh; echo first $?; rm $FAKE_FLUX/no-R\n"
      "sh $operator/wait-0.sh; echo second $?");
  EXPECT_THAT(outcome.out, HasSubstr("first 243\n"));
  EXPECT_THAT(outcome.out, HasSubstr("second 0\n"));
}

TEST_P(Broker, ExitInASnippetEndsItAllWithItsCode) {
  for (const char* where : {"init", "pre", "post"}) {
    SCOPED_TRACE(where);
    api::MiniCluster spec = cluster("echo ran");
    api::Commands& commands = spec.spec.containers[0].commands;
    (where == std::string("init")  ? commands.init
     : where == std::string("pre") ? commands.pre
                                   : commands.post) = "exit 3";
    const PodDir pod(spec, GetParam());
    const Outcome outcome = pod.run_broker();
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(pod.calls().contains("[start]"), where == std::string("post"));
    EXPECT_TRUE(std::filesystem::exists(pod.file("mount/flux-operator-complete.txt")));
  }
}

TEST_P(Broker, StrictEndsAtTheFirstFailureAndOnlyThen) {
  api::MiniCluster spec = cluster("echo ran");
  spec.spec.containers[0].commands.pre = "sh -c 'exit 5'\necho went on";
  EXPECT_EQ(PodDir(spec, GetParam()).run_broker().code, 0);
  spec.spec.logging.strict = true;
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.out, Not(HasSubstr("went on")));
}

TEST_P(Broker, QuietShowsOnlyTheCommandAndPost) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.logging.quiet = true;
  spec.spec.containers[0].commands.pre = "echo noise; echo noise >&2";
  spec.spec.containers[0].commands.post = "echo post";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.out, "hello\npost\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(pod.calls(), HasSubstr("[-Slog-stderr-level=0]"));
}

TEST_P(Broker, FlagsComeFromTheSpec) {
  api::MiniCluster spec = cluster("app", 2);
  spec.spec.tasks = 4;
  spec.spec.max_size = 8;
  spec.spec.logging.debug = true;
  spec.spec.logging.zeromq = true;
  spec.spec.flux.option_flags = "-o cpu-affinity=per-task --env='A=b c'";
  spec.spec.flux.wrap = "valgrind,-q";
  spec.spec.flux.log_level = 7;
  spec.spec.flux.connect_timeout = "1s";
  spec.spec.flux.topology = "kary:2";
  spec.spec.containers[0].commands.prefix = "env";
  const PodDir pod(spec, GetParam());
  EXPECT_EQ(pod.run_broker().code, 127);  // there is no `app`
  const std::string calls = pod.calls();
  EXPECT_THAT(calls, HasSubstr("[--hosts=flux-sample-[0-7]]"));
  EXPECT_THAT(calls, HasSubstr("\n[start][--wrap=valgrind,-q][-o][--config]["));
  EXPECT_THAT(calls, HasSubstr("[-Stbon.topo=kary:2]"));
  EXPECT_THAT(calls, HasSubstr("[-Stbon.connect_timeout=1s][-Sbroker.quorum=2][-Stbon.zmqdebug=1]"
                               "[-Slog-stderr-level=7][-Slog-stderr-mode=local]" +
                               lead(pod) + "[env]" + submits(pod) +
                               "[-N2][-n4][-o][cpu-affinity=per-task][--env=A=b c][-vvv][app]\n"));
}

TEST_P(Broker, SubmitThatPrintsItsOwnWayIsLeftToItself) {
  for (const char* flags : {"--quiet", "--watch", "-o x --log=/tmp/log"}) {
    SCOPED_TRACE(flags);
    api::MiniCluster spec = cluster("echo hello");
    spec.spec.flux.option_flags = flags;
    const PodDir pod(spec, GetParam());
    EXPECT_EQ(pod.run_broker().code, 0);
    EXPECT_THAT(pod.calls(), HasSubstr(lead(pod) + "[flux][submit][-n1][--quiet]"));
    EXPECT_THAT(pod.calls(), HasSubstr("[--watch]"));
  }
}

TEST_P(Broker, NoTasksMeansOnePerNode) {
  api::MiniCluster spec = cluster("app", 3);
  spec.spec.tasks = 0;
  const PodDir pod(spec, GetParam());
  EXPECT_EQ(pod.run_broker().code, 127);  // there is no `app`
  EXPECT_THAT(pod.calls(), HasSubstr("[flux][submit][-N3][app]"));
}

TEST_P(Broker, LauncherIsHandedToTheBrokerItself) {
  api::MiniCluster spec = cluster("sh -c 'echo \"launched $0\"' me");
  spec.spec.containers[0].launcher = true;
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.run_broker().out, HasSubstr("launched me\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("[-Slog-stderr-mode=local]" + lead(pod) +
                                     "[sh][-c][echo \"launched $0\"][me]"));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[submit]")));
}

TEST_P(Broker, ScriptRunsAsAJobAsItIsWritten) {
  api::MiniCluster spec = cluster("");
  spec.spec.containers[0].commands.script = "for i in 1 2; do\n  echo \"$i; `echo 'a b'`\"\ndone";
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.run_broker().out, HasSubstr("\n1; a b\n2; a b\n"));
  EXPECT_THAT(pod.calls(),
              HasSubstr(std::string("[submit][-n1][") + (GetParam() ? "bash" : "sh") + "][" +
                        pod.file("operator/container-0/script.sh").string() + "]\n"));
}

TEST(BatchBroker, EachLineIsAJobWithItsOutputs) {
  api::MiniCluster spec = cluster("echo first 'a  b'\n\nsh -c 'echo third >&2'\n", 2);
  spec.spec.containers[0].batch = true;
  spec.spec.containers[0].commands.post = "ls $FLUX_OUTPUT_DIR";
  const PodDir pod(spec);
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read_file(pod.file("output/job-0.out")), "first a  b\n");
  EXPECT_EQ(read_file(pod.file("output/job-2.err")), "third\n");
  EXPECT_THAT(outcome.out, HasSubstr("job-0.err\njob-0.out\njob-2.err\njob-2.out\n"));
  const std::string calls = pod.calls();
  EXPECT_THAT(calls, HasSubstr("\n[batch][--output=kvs][-n1][--flags=waitable][" +
                               pod.file("operator/container-0/batch.sh").string() + "]\n"));
  EXPECT_THAT(calls, HasSubstr("\n[queue][idle]\n[jobs][-a]\n[jobs][-a][-n][-c][0][-o][{id}]\n"
                               "[job][status][f124]\n"));
  EXPECT_THAT(calls, HasSubstr("[job][attach][--read-only][f123]\n"));
  EXPECT_EQ(read_file(pod.file("output/batch.out")), "f124\n") << "what the script said";
}

TEST(BatchBroker, RawIsTheUsersOwnScript) {
  api::MiniCluster spec = cluster("x=5\necho raw $x");
  spec.spec.containers[0].batch = true;
  spec.spec.containers[0].batch_raw = true;
  const PodDir pod(spec);
  EXPECT_EQ(pod.run_broker().code, 0);
  EXPECT_EQ(read_file(pod.file("operator/container-0/batch.sh")),
            "#!/bin/bash\nx=5\necho raw $x\n");
}

TEST(BatchBroker, ScriptIsABatchScriptAsItIs) {
  api::MiniCluster spec = cluster("");
  spec.spec.containers[0].batch = true;
  spec.spec.containers[0].commands.script = "x=5\necho raw $x";
  const PodDir pod(spec);
  EXPECT_EQ(pod.run_broker().code, 0);
  EXPECT_EQ(read_file(pod.file("operator/container-0/batch.sh")),
            "#!/bin/bash\nx=5\necho raw $x\n");
}

// A dash that has just forked takes a signal for its parent's, and loses it.
TEST(Signals, ReachAProgramThatHasOnlyJustBegun) {
  const PodDir pod(cluster());
  const Outcome outcome = pod.run(
      "i=0; while [ $((i += 1)) -le 200 ]; do sh -c '. $operator/common.sh; exec 3<&0; trap "
      "mc_signal TERM\n"
      "  (kill -TERM $$) & mc_run sleep 1; [ $mc_code -ne 0 ] || echo lost'; done; echo done",
      0);
  EXPECT_EQ(outcome.out, "done\n") << outcome.err;
}

TEST_P(Broker, TimedSaysHowLongItTook) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.logging.timed = true;
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_THAT(outcome.err, ::testing::ContainsRegex("FLUXTIME fluxsubmit wall time 0:0[0-9]\\."));
  EXPECT_THAT(outcome.err, ::testing::ContainsRegex("FLUXTIME fluxstart wall time 0:0[0-9]\\."));
}

TEST_P(Broker, InteractiveStaysUntilItIsToldToEnd) {
  const PodDir pod(cluster(""), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh & pid=$!\n"
      "until [ -s $FAKE_FLUX/calls ] && grep -q broker $FAKE_FLUX/calls; do sleep 0.1; done\n"
      "kill -TERM $pid; wait $pid; echo code $?");
  EXPECT_THAT(outcome.out, HasSubstr("code 249\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("[broker][--config-path][" +
                                     pod.file("mount/config/etc/flux/config").string() + "]" +
                                     options(pod, kLeads) + "[-Sbroker.rc2_none]\n"));
}

TEST_P(Broker, FollowerJoinsWithoutACommandUntilTheLeadIsDone) {
  const PodDir pod(cluster(), GetParam());
  std::ofstream(pod.file("record/followers")) << "1\n";  // the lead is lost once, then returns
  const Outcome outcome = pod.run_broker(3);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the broker ended with code 1; starts again in 1 s\n"));
  EXPECT_EQ(pod.calls(), "[R][encode][--hosts=flux-sample-[0-3]][--local]\n" + start(pod) +
                             options(pod) + "\n" + start(pod) + options(pod) + "\n");
}

// A broker also ends with 0 when its lead is deleted. The Job then creates another lead, but never
// restarts a pod that has ended with 0.
TEST_P(Broker, FollowerWaitsForTheNextLeadUntilItIsToldThatAllIsDone) {
  const PodDir pod(cluster(), GetParam());
  std::ofstream(pod.file("record/followers")) << "0\n";
  const Outcome outcome = pod.run_broker(3);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the broker ended with code 0; starts again in 1 s\n"));
  EXPECT_EQ(read_file(pod.file("record/followers")), "");
}

TEST_P(Broker, FollowersAreNotToldWhenThereAreNone) {
  const PodDir pod(cluster("echo hello", 1), GetParam());
  EXPECT_EQ(pod.run_broker().code, 0);
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[exec]")));
}

TEST_P(Broker, FollowersAreNotToldWhenTheLeadIsTakenAway) {
  const PodDir pod(cluster("sleep 50"), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh & pid=$!\n"
      "until grep -q '^.submit' $FAKE_FLUX/calls 2>/dev/null; do sleep 0.1; done\n"
      "kill -TERM $pid; wait $pid; echo code $?");
  EXPECT_THAT(outcome.out, HasSubstr("code 249\n"));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[exec]")));
}

TEST_P(Broker, PhasesOfTheStartAreLinesOfTheLog) {
  const PodDir pod(cluster("echo hello"), GetParam());
  const std::string out = pod.run_broker().out;
  EXPECT_THAT(out, ::testing::ContainsRegex("phase=config index=0 uptime_cs=[0-9]+\n"));
  EXPECT_THAT(out, ::testing::ContainsRegex("phase=broker index=0 uptime_cs=[0-9]+\n"));
  EXPECT_THAT(out, ::testing::ContainsRegex("phase=quorum index=0 uptime_cs=[0-9]+\n"
                                            "minicluster: phase=command index=0 uptime_cs=[0-9]+\n"
                                            "hello\nminicluster: phase=end code=0 index=0 "));
}

// A module can be disabled by name only if it is installed; selecting another one always works.
TEST_P(Broker, SimpleSchedulerIsChosen) {
  api::MiniCluster spec = cluster("sh -c 'echo \"<$FLUXION_QMANAGER_RC_NOOP>\"'");
  const PodDir usual(spec, GetParam());
  EXPECT_THAT(usual.run_broker().out, HasSubstr("\n<>\n"));
  const std::string file = "mount/config/etc/flux/config/scheduler.toml";
  EXPECT_FALSE(std::filesystem::exists(usual.file(file)));
  spec.spec.flux.scheduler.simple = true;
  const PodDir simple(spec, GetParam());
  EXPECT_THAT(simple.run_broker().out, HasSubstr("\n<1>\n"));
  EXPECT_EQ(read_file(simple.file(file)), "[modules.alternatives]\nsched = \"sched-simple\"\n");
}

TEST_P(Broker, FollowerCompletesAtOnceWhenAskedTo) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.complete_workers = true;
  const PodDir pod(spec, GetParam());
  std::ofstream(pod.file("record/followers")) << "1\n";
  EXPECT_EQ(pod.run_broker(1).code, 0);
  EXPECT_THAT(pod.calls(), Not(HasSubstr("\n[start]" + start(pod))));
  EXPECT_EQ(read_file(pod.file("record/followers")), "");
}

TEST_P(Broker, FollowerPassesOnASignalAndIsNotTakenForDone) {
  api::MiniCluster spec = cluster();
  spec.spec.containers[0].commands.post = "echo post ran";
  const PodDir pod(spec, GetParam());
  std::ofstream(pod.file("record/stay")) << "until it is told to end\n";
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh & pid=$!\n"
      "until [ -s $FAKE_FLUX/calls ] && grep -q start $FAKE_FLUX/calls; do sleep 0.1; done\n"
      "kill -TERM $pid; wait $pid; echo code $?",
      2);
  EXPECT_THAT(outcome.out, HasSubstr("post ran\ncode 249\n"));
}

TEST_P(Broker, BurstedClusterHasNoLead) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.flux.bursting.lead_broker = api::LeadBroker{"lead", "10.0.0.7", 8050, 2};
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker(0);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[echo]")));
}

TEST_P(Broker, ArchiveIsSavedAndLoaded) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.archive_path = "/tmp/no such archive.tar";
  PodDir first(spec, GetParam());
  EXPECT_EQ(first.run_broker().code, 0);
  EXPECT_THAT(first.calls(), HasSubstr("[-Scontent.dump=/tmp/no such archive.tar]"));
  EXPECT_THAT(first.calls(), Not(HasSubstr("content.restore")));
  spec.spec.archive_path = "/etc/hostname";
  PodDir second(spec, GetParam());
  EXPECT_EQ(second.run_broker().code, 0);
  EXPECT_THAT(second.calls(), HasSubstr("[-Scontent.restore=/etc/hostname]"));
}

TEST(BatchBroker, SaysThatItsOutputHasNoPlace) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.containers[0].batch = true;
  spec.spec.containers[0].logs = "/proc/no-folder";
  const PodDir pod(spec);
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 245);
  EXPECT_THAT(outcome.err, HasSubstr("minicluster: error: cannot make the folder /proc/no-folder "
                                     "for the output of the batch's jobs\n"));
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
           OwnFailure{241, "rm ${PATH}/flux", false, "no flux in any folder of PATH: "},
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
