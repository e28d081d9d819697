#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "common/api/model/names.h"
#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"
#include "tests/support/folders.h"

// The entry point of the container that runs Flux, with bash and without.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Broker : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, Broker, ::testing::Bool(), shell_name);

// Asks for Flux's resources of all hosts as it sees them, and for the file of its job shell.
std::string asks(const std::string& hosts) {
  return "[R][encode][--hosts=" + hosts + "][--local]\n[config][builtin][shell_initrc]\n";
}
std::string shell_option(const PodDir& pod) {
  return "[-Sconf.shell_initrc=" + pod.file("mount/config/etc/flux/shell/initrc.lua").string() +
         "]";
}

constexpr const char* kLeads = "[-Sbroker.cleanup-timeout=4s]";

// The options of a broker; `leads` is only for the lead.
std::string options(const PodDir& pod, const std::string& leads = "",
                    const std::string& more = "") {
  const std::string mount = pod.file("mount").string();
  return "[-Scron.directory=" + mount + "/config/etc/flux/system/cron.d][-Srundir=" + mount +
         "/config/run/flux][-Sstatedir=" + mount + "/config/var/lib/flux]" + leads +
         "[-Stbon.fanout=256]" + "[-Slocal-uri=local://" + mount + "/config/run/flux/local]" +
         more + "[-Stbon.connect_timeout=5s][-Slog-stderr-level=6][-Slog-stderr-mode=local]" +
         shell_option(pod);
}
std::string lead(const PodDir& pod) {
  return "[sh][" + pod.file("operator/lead.sh").string() + "]";
}
std::string submits(const PodDir& pod) {
  return "[sh][" + pod.file("operator/submit.sh").string() + "][][flux][submit][--input=/dev/null]";
}
std::string start(const PodDir& pod) {
  return "[start][-o][--config][" + pod.file("mount/config/etc/flux/config").string() + "]";
}

TEST_P(Broker, LeadRunsTheCommandAsAJobAndShowsItsOutput) {
  const PodDir pod(cluster("echo hello 'my  world' && x $HOME_OF", 2), GetParam());
  const Outcome outcome = pod.must_run_broker();
  EXPECT_THAT(outcome.out, HasSubstr("\nhello my  world && x\n"));
  EXPECT_EQ(pod.calls(), asks("flux-sample-[0-1]") + start(pod) + options(pod, kLeads) + lead(pod) +
                             submits(pod) +
                             "[-n1][echo][hello][my  world][&&][x]"
                             "\n[submit][--input=/dev/null][-n1][echo][hello][my  world][&&][x]"
                             "\n[job][attach][--read-only][f123]"
                             "\n[kvs][ls][-1][minicluster.alone]"
                             "\n[setattr][log-stderr-level][0]"
                             "\n[exec][-n][-r][all][sh][-c][echo \"$1\" >\"$2\"][sh][0][" +
                             pod.file("mount/flux-operator-ended.txt").string() + "]\n");
  EXPECT_EQ(text_of(pod.file("mount/flux-operator-code.txt")), "0 the command\n");
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
  pod.must_run_broker();
  EXPECT_EQ(std::filesystem::last_write_time(pod.file("mount/" + file)), then);
}

TEST_P(Broker, ViewScriptHasTheEnvironmentOfFlux) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.flux.environment = {{"A", "it's $HOME"}, {"not.a.variable", "x"}};
  const PodDir pod(spec, GetParam());
  pod.must_run_broker();
  EXPECT_EQ(pod.run("A=; . $mount/flux-view.sh; printf %s \"$A\"").out, "it's $HOME");
}

TEST_P(Broker, CertificateIsCopiedForTheBrokersUserOnly) {
  const PodDir pod(cluster(), GetParam());
  const Outcome outcome = pod.run_broker();
  const std::filesystem::path copy = pod.file("mount/config/curve/curve.cert");
  EXPECT_EQ(text_of(copy), "the certificate\n");
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
    pod.write("operator/admitted", admitted);
    pod.must_run_broker();
    EXPECT_THAT(pod.calls(),
                HasSubstr(std::string("\n[submit][--input=/dev/null]") + words + "[hostname]\n"));
    EXPECT_THAT(pod.calls(), HasSubstr(std::string("[-Sbroker.quorum=") + admitted + "]"));
  }
}

// The controller writes the annotation as soon as it sees the pod, possibly after the pod's start.
TEST_P(Broker, LeadWaitsUntilItIsToldWhatWasAdmittedAndFollowersDoNot) {
  const PodDir pod(in_queue(8), GetParam());
  pod.write("operator/admitted", "");
  std::filesystem::remove(pod.file("bin/sleep"));
  pod.write("bin/sleep", "#!/bin/sh\nprintf 4 >$operator/admitted\n");
  std::filesystem::permissions(pod.file("bin/sleep"), std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(pod.run_broker().out, HasSubstr("minicluster: admitted 4 of 8 pods\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("\n[submit][--input=/dev/null][-N4][-n4][hostname]\n"));
  pod.write("operator/admitted", "");
  EXPECT_THAT(pod.run_broker(1).out, Not(HasSubstr("admitted")));
}

TEST_P(Broker, VariablesOfThePodsEnvironmentStayTheUsers) {
  const PodDir pod(cluster("env"), GetParam());
  const Outcome outcome = pod.must_run(
      "export command=mine hosts=mine software=mine brokerOptions=mine\n" + std::string(kBroker));
  for (const char* name : {"command", "hosts", "software", "brokerOptions"}) {
    EXPECT_THAT(outcome.out, HasSubstr("\n" + std::string(name) + "=mine\n"));
  }
}

TEST_P(Broker, UserWithoutAHomeHasOneInThePod) {
  const auto homes = [](const std::string& home) {
    const PodDir pod(cluster("sh -c 'echo $HOME $USER'"), GetParam());
    return pod.run("export " + home + " USER=x\n" + kBroker).out;
  };
  EXPECT_THAT(homes("HOME=/"), HasSubstr("\n/home/flux-operator flux-operator\n"));
  EXPECT_THAT(homes("HOME=/home/me"), HasSubstr("\n/home/me x\n"));
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
  spec.spec.flux.wrap = "env,-uX";
  spec.spec.flux.log_level = 7;
  spec.spec.flux.connect_timeout = "1s";
  spec.spec.flux.topology = "kary:2";
  spec.spec.containers[0].commands.prefix = "env";
  const PodDir pod(spec, GetParam());
  EXPECT_EQ(pod.run_broker().code, 127);  // there is no `app`
  const std::string calls = pod.calls();
  EXPECT_THAT(calls, HasSubstr("[--hosts=flux-sample-[0-7]]"));
  EXPECT_THAT(calls, HasSubstr("\n[start][--wrap=env,-uX][-o][--config]["));
  EXPECT_THAT(calls, HasSubstr("[-Stbon.topo=kary:2]"));
  EXPECT_THAT(calls, HasSubstr("[-Stbon.connect_timeout=1s][-Sbroker.quorum=2][-Stbon.zmqdebug=1]"
                               "[-Slog-stderr-level=7][-Slog-stderr-mode=local]" +
                               shell_option(pod) + lead(pod) + "[env]" + submits(pod) +
                               "[-N2][-n4][-o][cpu-affinity=per-task][--env=A=b c][-vvv][app]\n"));
}

TEST_P(Broker, OfAMinimalServiceConnectsToTheOnlyNameThereIs) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.minimal_service = true;
  const PodDir pod(spec, GetParam());
  pod.must_run_broker();
  EXPECT_THAT(pod.calls(), HasSubstr("[-Stbon.topo=kary:0]"));
}

// With 256 children for each broker, the 258th host would need the second one.
TEST_P(Broker, OfABurstConnectsToTheOnlyAddressThatIsKnownEverywhere) {
  api::MiniCluster lead = cluster(), bursted = cluster();
  lead.spec.flux.bursting.clusters = bursted.spec.flux.bursting.clusters = {{"burst-0", 2}};
  bursted.spec.flux.bursting.lead_broker = api::LeadBroker{"lead", "192.0.2.7", 30850, 40};
  for (const api::MiniCluster& spec : {lead, bursted}) {
    const PodDir pod(spec, GetParam());
    pod.run_broker();
    EXPECT_THAT(pod.calls(), HasSubstr("[-Stbon.topo=kary:0]"));
  }
}

TEST_P(Broker, SubmitThatPrintsItsOwnWayIsLeftToItself) {
  for (const char* flags : {"--quiet", "--watch", "-o x --log=/tmp/log"}) {
    SCOPED_TRACE(flags);
    api::MiniCluster spec = cluster("echo hello");
    spec.spec.flux.option_flags = flags;
    const PodDir pod(spec, GetParam());
    pod.must_run_broker();
    EXPECT_THAT(pod.calls(),
                HasSubstr(lead(pod) + "[flux][submit][--input=/dev/null][-n1][--quiet]"));
    EXPECT_THAT(pod.calls(), HasSubstr("[--watch]"));
  }
}

TEST_P(Broker, SubmitCommandGetsTheOptionsThatItHas) {
  const struct {
    const char *command, *call;
  } cases[] = {
      {"flux run", "\n[run][--input=/dev/null][-n1][--quiet][-o][x][-vvv][echo][hello]\n"},
      {"flux alloc", "\n[alloc][-n1][--quiet][-o][x][-vvv][echo][hello]\n"},
      {"env A=b flux run --env=C",
       "\n[run][--env=C][--input=/dev/null][-n1][--quiet][-o][x][-vvv][echo][hello]\n"},
      {"flux run --input=f", "\n[run][--input=f][-n1][--quiet][-o][x][-vvv][echo][hello]\n"},
      {"flux run --input f", "\n[run][--input][f][-n1][--quiet][-o][x][-vvv][echo][hello]\n"},
      {"flux submit -x",
       "\n[submit][-x][--input=/dev/null][-n1][--quiet][-o][x][--watch][-vvv][echo][hello]\n"},
      {"flux bulksubmit",
       "\n[bulksubmit][--input=/dev/null][-n1][--quiet][-o][x][--watch][-vvv][echo][hello]\n"},
      {"flux batch",
       "\n[batch][--input=/dev/null][-n1][-o][x][echo][hello]\n[job][attach][--read-only][f123]\n"},
  };
  for (const auto& [command, call] : cases) {
    SCOPED_TRACE(command);
    api::MiniCluster spec = cluster("echo hello");
    spec.spec.flux.submit_command = command;
    spec.spec.flux.option_flags = "-o x";
    spec.spec.logging.debug = true;
    const PodDir pod(spec, GetParam());
    const Outcome outcome = pod.must_run_broker();
    EXPECT_THAT(outcome.out, HasSubstr("\nhello\n"));
    EXPECT_THAT(pod.calls(), HasSubstr(call));
  }
}

TEST_P(Broker, SubmitCommandThatIsNotFluxGetsTheOptionsOfFluxSubmit) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.flux.submit_command = "echo wrapped by";
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.run_broker().out, HasSubstr("\nwrapped by -n1 --quiet --watch echo hello\n"));
}

TEST_P(Broker, LauncherIsHandedToTheBrokerItself) {
  api::MiniCluster spec = cluster("sh -c 'echo \"launched $0\"' me");
  spec.spec.containers[0].launcher = true;
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.run_broker().out, HasSubstr("launched me\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("[-Slog-stderr-mode=local]" + shell_option(pod) + lead(pod) +
                                     "[sh][-c][echo \"launched $0\"][me]"));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[submit]")));
}

TEST_P(Broker, ScriptRunsAsAJobAsItIsWritten) {
  api::MiniCluster spec = cluster("");
  spec.spec.containers[0].commands.script = "for i in 1 2; do\n  echo \"$i; `echo 'a b'`\"\ndone";
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.run_broker().out, HasSubstr("\n1; a b\n2; a b\n"));
  EXPECT_THAT(pod.calls(), HasSubstr(std::string("[submit][--input=/dev/null][-n1][") +
                                     (GetParam() ? "bash" : "sh") + "][" +
                                     pod.file("operator/container-0/script.sh").string() + "]\n"));
}

// A dash that has just forked takes a signal for its parent's, and loses it.
TEST(Signals, ReachAProgramThatHasOnlyJustBegun) {
  const PodDir pod(cluster());
  const Outcome outcome = pod.run(
      "i=0; while [ $((i += 1)) -le 200 ]; do sh -c '. $operator/common.sh; exec 3<&0; trap "
      "mc_signal TERM\n"
      "  (kill -TERM $$) & mc_run sleep 1; [ $mc_code -ne 0 ] || echo lost' $operator/x; done; "
      "echo "
      "done",
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
  const Outcome outcome = pod.run(broker_told_to_end_once_called("broker"));
  EXPECT_THAT(outcome.out, HasSubstr("code 249\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("[broker][--config-path][" +
                                     pod.file("mount/config/etc/flux/config").string() + "]" +
                                     options(pod, kLeads) + "[-Sbroker.rc2_none]\n"));
}

TEST_P(Broker, FollowerJoinsWithoutACommandUntilTheLeadIsDone) {
  const PodDir pod(cluster(), GetParam());
  pod.write("record/followers", "1\n");  // the lead is lost once, then returns
  const Outcome outcome = pod.must_run_broker(3);
  EXPECT_THAT(outcome.out, HasSubstr("the broker ended with code 1; it starts again in 1 s\n"));
  EXPECT_EQ(pod.calls(), asks("flux-sample-[0-3]") + start(pod) + options(pod) + "\n" + start(pod) +
                             options(pod) + "\n");
}

// A broker also ends with 0 when its lead is deleted. The Job then creates another lead, but never
// restarts a pod that has ended with 0.
TEST_P(Broker, FollowerWaitsForTheNextLeadUntilItIsToldThatAllIsDone) {
  const PodDir pod(cluster(), GetParam());
  pod.write("record/followers", "0\n");
  const Outcome outcome = pod.must_run_broker(3);
  EXPECT_THAT(outcome.out, HasSubstr("the broker ended with code 0; it starts again in 1 s\n"));
  EXPECT_EQ(text_of(pod.file("record/followers")), "");
}

TEST_P(Broker, FollowersAreNotToldWhenThereAreNone) {
  const PodDir pod(cluster("echo hello", 1), GetParam());
  pod.must_run_broker();
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[exec]")));
}

TEST_P(Broker, FollowersAreNotToldWhenTheLeadIsTakenAway) {
  const PodDir pod(cluster("sleep 50"), GetParam());
  const Outcome outcome = pod.run(broker_told_to_end_once_called("^.submit"));
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
  EXPECT_EQ(text_of(simple.file(file)), "[modules.alternatives]\nsched = \"sched-simple\"\n");
}

TEST_P(Broker, FollowerCompletesAtOnceWhenAskedTo) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.complete_workers = true;
  const PodDir pod(spec, GetParam());
  pod.write("record/followers", "1\n");
  pod.must_run_broker(1);
  EXPECT_THAT(pod.calls(), Not(HasSubstr("\n[start]" + start(pod))));
  EXPECT_EQ(text_of(pod.file("record/followers")), "");
}

TEST_P(Broker, FollowerPassesOnASignalAndIsNotTakenForDone) {
  api::MiniCluster spec = cluster();
  spec.spec.containers[0].commands.post = "echo post ran";
  const PodDir pod(spec, GetParam());
  pod.write("record/stay", "until it is told to end\n");
  const Outcome outcome = pod.run(broker_told_to_end_once_called("start"), 2);
  EXPECT_THAT(outcome.out, HasSubstr("post ran\ncode 249\n"));
}

TEST_P(Broker, BurstedClusterHasNoLead) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.flux.bursting.lead_broker = api::LeadBroker{"lead", "10.0.0.7", 8050, 2};
  const PodDir pod(spec, GetParam());
  pod.must_run_broker();
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[echo]")));
}

}  // namespace
}  // namespace mc::test
