#include <csignal>

#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"
#include "tests/support/plugin.h"

// `kubectl minicluster` in pods that run: logs, exec, flux and shell.
namespace mc::e2e {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class KubectlTools : public PodStory {
 protected:
  void start_interactive(const std::string& name, int size, Flux flux = Flux::kByView) {
    apply(minicluster(name, size, "", {{"interactive", true}}, flux));
    ASSERT_TRUE(reaches(name, "Ready"));
  }

  Outcome with_input(const std::vector<std::string>& arguments, const std::string& input) const {
    test::ProcessOptions options = plugin_.options();
    options.input = input;
    return test::run(plugin_.command(arguments), options);
  }

  // The same in a pseudo-terminal.
  Outcome in_terminal(const std::vector<std::string>& arguments, const std::string& input) const {
    test::ProcessOptions options = plugin_.options();
    options.input = input;
    return test::run(
        {"script", "--quiet", "--return", "--command", plugin_.shell_line(arguments), "/dev/null"},
        options);
  }

  // The command lines of the lead's container.
  std::string programs(const std::string& name) const {
    return exec(name, 0, R"(for p in /proc/[0-9]*; do tr '\0' ' ' <$p/cmdline; echo; done)").out;
  }

  void expect_nothing_left() const {
    EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
  }

  const test::Plugin plugin_{kubectl};
};

TEST_F(KubectlTools, LogsAreThoseOfTheLeadOfARankOrOfAllRanksAlsoAfterTheEnd) {
  apply(minicluster("logs", 3, "hostname", {{"tasks", 3}}));
  // From before its pods exist until its end.
  const Outcome followed = plugin_({"logs", "logs", "--all", "-f"}, std::chrono::seconds(120));
  EXPECT_EQ(followed.code, 0) << followed.err << everything();
  ASSERT_TRUE(reaches("logs", "Complete"));
  const auto lines = test::lines_of(followed.out);
  for (const std::string rank : {"0", "1", "2"}) {
    EXPECT_THAT(lines, Contains("[rank 0] logs-" + rank));
    EXPECT_THAT(lines, Contains(StartsWith("[rank " + rank + "] minicluster: phase=broker")));
  }
  EXPECT_THAT(followed.out, Not(HasSubstr("\r")));
  const Outcome lead = plugin_({"logs", "logs"});
  EXPECT_EQ(lead.code, 0) << lead.err;
  EXPECT_EQ(lead.out, log("logs", 0));
  const Outcome last = plugin_({"logs", "logs", "--tail=1", "--timestamps"});
  EXPECT_EQ(test::count(last.out, "\n"), 1) << last.out;
  EXPECT_THAT(last.out, StartsWith("20"));
  expect_nothing_left();
}

TEST_F(KubectlTools, ExecHasTheCommandsInputOutputAndCode) {
  start_interactive("exec", 2);
  const Outcome seven =
      plugin_({"exec", "exec", "--", "sh", "-c", "echo $0 \"$1\"; exit 7", "a", "b  c"});
  EXPECT_EQ(seven.code, 7) << seven.err;
  EXPECT_EQ(seven.out, "a b  c\n");
  EXPECT_EQ(plugin_({"exec", "exec", "--rank=1", "--", "hostname"}).out, "exec-1\n");
  const std::string input(100'000, 'x');
  const Outcome copied = with_input({"exec", "exec", "--", "cat"}, input);
  EXPECT_EQ(copied.code, 0) << copied.err;
  EXPECT_TRUE(copied.out == input);
  EXPECT_NE(plugin_({"exec", "exec", "--", "/nonexistent"}).code, 0);
  EXPECT_THAT(plugin_({"exec", "exec", "--", "sh", "-c", "test -t 0 || echo none"}).out, "none\n");
  EXPECT_THAT(in_terminal({"exec", "exec", "--", "sh", "-c", "test -t 0 && echo terminal"}, "").out,
              HasSubstr("terminal"));
  expect_nothing_left();
}

TEST_F(KubectlTools, ASignalToExecWithoutATerminalEndsTheProgramInThePod) {
  start_interactive("signals", 1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto process = plugin_.start(
        {"exec", "signals", "--", "bash", "-c", "echo error >&2; echo ready; sleep 1000; echo no"});
    ASSERT_TRUE(test::eventually([&] { return process->out() == "ready\n"; })) << process->err();
    EXPECT_THAT(programs("signals"), HasSubstr("sleep 1000"));
    process->signal(signal);
    EXPECT_EQ(process->wait(std::chrono::seconds(10)), 128 + signal) << process->err();
    EXPECT_THAT(process->err(), StartsWith("error\ncommand terminated with exit code "));
    EXPECT_THAT(programs("signals"), Not(HasSubstr("sleep 1000")));
  }
  const std::string line =
      plugin_.shell_line({"exec", "signals", "--", "sh", "-c",
                          "trap \"\" PIPE; while :; do echo line; sleep 0.1; done 2>/dev/null"});
  const Outcome read =
      test::run({"bash", "-c", line + "| head -n 1; echo ${PIPESTATUS[0]}"}, plugin_.options());
  EXPECT_EQ(read.out, "line\n141\n") << read.err;
  EXPECT_THAT(programs("signals"), Not(HasSubstr("echo line")));
  expect_nothing_left();
}

class KubectlToolsWith : public KubectlTools, public ::testing::WithParamInterface<Flux> {};
INSTANTIATE_TEST_SUITE_P(Flux, KubectlToolsWith, kBothFluxes, name_of);

TEST_P(KubectlToolsWith, FluxTalksToTheRunningInstance) {
  start_interactive("flux", 2, GetParam());
  // Both brokers have joined. A job that is tried before that is one more in the list.
  flux_answers("flux", "flux resource list -s up -n -o '{nnodes}'", "2");
  const Outcome run = plugin_({"flux", "flux", "--", "run", "-N2", "--label-io", "hostname"});
  EXPECT_EQ(run.code, 0) << run.err << everything();
  EXPECT_THAT(test::lines_of(run.out), ::testing::UnorderedElementsAre("0: flux-0", "1: flux-1"));
  const Outcome failed = plugin_({"flux", "flux", "--", "run", "sh", "-c", "exit 9"});
  EXPECT_EQ(failed.code, 9) << failed.err;
  const Outcome jobs = plugin_({"flux", "flux", "--", "jobs", "-a", "--no-header"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_EQ(test::count(jobs.out, "\n"), 2) << jobs.out;
  EXPECT_THAT(jobs.out, HasSubstr("hostname"));
  EXPECT_EQ(plugin_({"jobs", "flux", "--", "--no-header"}).out, jobs.out);
  expect_nothing_left();
}

// SIGTERM does nothing to a job in the queue; 5 s later it is canceled.
TEST_F(KubectlTools, ASignalToFluxRunWithoutATerminalCancelsItsJobRunningOrQueued) {
  start_interactive("cancel", 1);
  flux_answers("cancel", "flux run hostname", "cancel-0");
  const auto is = [&](const std::string& job, const std::string& state) {
    flux_answers("cancel", "flux jobs -a --no-header -o '{name} {status}'", job + " " + state);
  };
  const auto start = [&](const std::string& job, const std::string& state) {
    auto process = plugin_.start(
        {"flux", "cancel", "--", "run", "-N1", "-x", "--job-name=" + job, "sleep", "1000"});
    is(job, state);
    return process;
  };
  const auto running = start("running", "RUN");
  const auto interrupted = start("interrupted", "SCHED"), terminated = start("other", "SCHED");
  interrupted->signal(SIGINT);
  terminated->signal(SIGTERM);
  EXPECT_EQ(interrupted->wait(std::chrono::seconds(10)), 130) << interrupted->err();
  is("interrupted", "CANCELED");
  EXPECT_THAT(terminated->wait(std::chrono::seconds(20)), ::testing::Optional(::testing::Ne(0)));
  is("other", "CANCELED");
  EXPECT_EQ(running->wait(std::chrono::seconds(0)), std::nullopt);
  running->signal(SIGINT);
  EXPECT_EQ(running->wait(std::chrono::seconds(15)), 130) << running->err();
  is("running", "CANCELED");
  EXPECT_THAT(programs("cancel"), Not(AnyOf(HasSubstr("flux-job"), HasSubstr("sleep 1000"))));
  expect_nothing_left();
}

TEST_F(KubectlTools, ShellIsConnectedToTheInstance) {
  start_interactive("shell", 2);
  flux_answers("shell", "flux run -N2 hostname", "shell-1");
  const std::string lines =
      "echo size $(flux getattr size) of $(hostname)\n"
      "test -t 0 && echo terminal $((40 + 2))\nexit 5\n";
  const Outcome piped = with_input({"shell", "shell"}, lines);
  EXPECT_EQ(piped.code, 5) << piped.err;
  EXPECT_EQ(piped.out, "size 2 of shell-0\n");
  // kubectl now and then ends with 0 if the connection ends before it has read how the command
  // ended (https://github.com/kubernetes/kubernetes/pull/137404).
  Outcome typed;
  for (int attempt = 0; attempt < 3 && typed.code != 5; ++attempt) {
    typed = in_terminal({"shell", "shell"}, lines);
  }
  EXPECT_EQ(typed.code, 5) << typed.out << typed.err;
  EXPECT_THAT(typed.out, AllOf(HasSubstr("size 2 of shell-0\r\n"), HasSubstr("terminal 42\r\n")));
  EXPECT_THAT(with_input({"shell", "shell", "--rank", "1"}, "hostname\n").out, "shell-1\n");
  expect_nothing_left();
}

}  // namespace
}  // namespace mc::e2e
