#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/integration/kubectl_story.h"
#include "tests/integration/pod_logs.h"
#include "tests/support/folders.h"

// Signals to `kubectl minicluster exec` and `flux` without a terminal. `kubectl exec` is a script
// that runs the program here, in a session of its own: like a container's, it outlives its kubectl.
// e2e/stories/kubectl_tools_test.cpp has real containers.
namespace mc::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr seconds kEndsWithin{4};  // before the next step, and the end of our patience

constexpr const char* kExec = R"(
while [ "$1" != -- ]; do shift; done
shift
exec bash -c 'set -m; exec 3>&2 2>/dev/null; "$@" <&0 2>&3 3>&- & wait $!' bash "$@")";

class KubectlExec : public KubectlStory {
 protected:
  KubectlExec() { plugin_.with("exec", kExec); }

  void SetUp() override {
    make("m", {{"size", 1}, {"flux", {{"container", {{"mountPath", view_.path()}}}}}});
    const JobPods pods(kubectl, "m");
    ASSERT_TRUE(pods.are(1));
    logs_.run(pods, 0);
  }

  // `exec m` of a script, which says `ready` when it is.
  std::unique_ptr<Process> start(const std::string& script) const {
    auto process = plugin_.start({"exec", "m", "--", "sh", "-c", script});
    EXPECT_TRUE(eventually([&] { return process->out().contains("ready\n"); })) << process->err();
    return process;
  }

  // Flux and the socket of a broker, as in a pod.
  void make_flux(const std::string& script) const {
    std::ofstream(view_.path() / "flux") << "#!/bin/sh\n" << script;
    std::filesystem::permissions(view_.path() / "flux", std::filesystem::perms::owner_all);
    std::ofstream(view_.path() / "flux-view.sh")
        << "export PATH=" << view_.path().string() << ":$PATH\nexport fluxsocket=local://"
        << view_.path().string() << "/socket\n";
    must_run({"python3", "-c",
              "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])",
              view_.path() / "socket"});
  }

  // In a terminal of which only the standard input is the program's; `keys` is the shell text that
  // types. The standard output is the file.
  Outcome typed(const std::string& keys, const std::vector<std::string>& arguments) const {
    ProcessOptions options = plugin_.options();
    options.environment["OUT"] = file("out");
    options.environment["LINE"] = plugin_.shell_line(arguments);
    return run({"bash", "-c",
                ": >\"$OUT\"; { " + keys +
                    "; } | script -qec \"exec $LINE >'$OUT'\" /dev/null; exit ${PIPESTATUS[1]}"},
               options);
  }

  void expect_nothing_left() const {
    EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
  }

  const TemporaryFolder view_;

 private:
  PodLogs logs_{kubectl};
};

TEST_F(KubectlExec, InputOutputsAndCodeAreThoseOfTheProgram) {
  ProcessOptions options = plugin_.options();
  options.input = std::string("a\0b\xff\n", 5);
  const Outcome outcome = run(
      plugin_.command({"exec", "m", "--", "sh", "-c", "cat; printf error >&2; exit 7"}), options);
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.out, options.input);
  EXPECT_EQ(outcome.err, "error");
  expect_nothing_left();
}

TEST_F(KubectlExec, ASignalReachesTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto process = start("echo ready; exec sleep 1000");
    process->signal(signal);
    EXPECT_EQ(process->wait(kEndsWithin), 128 + signal) << process->err();
    EXPECT_EQ(process->err(), "");
    expect_nothing_left();
  }
}

TEST_F(KubectlExec, AProgramThatTakesItEndsWithItsOwnCodeAndLastWords) {
  const auto process =
      start("trap 'echo stopped; exit 85' TERM; echo ready; while :; do sleep 0.1; done");
  process->signal(SIGTERM);
  EXPECT_EQ(process->wait(kEndsWithin), 85) << process->err();
  EXPECT_EQ(process->out(), "ready\nstopped\n");
  expect_nothing_left();
}

TEST_F(KubectlExec, OneThatDoesNotEndIsToldAndASecondSignalEndsOursAtOnce) {
  const std::string stubborn = "trap '' INT TERM; echo ready; while :; do sleep 0.1; done";
  const auto patient = start(stubborn), hasty = start(stubborn);
  patient->signal(SIGTERM);
  hasty->signal(SIGINT);
  EXPECT_EQ(hasty->wait(seconds(1)), std::nullopt);
  hasty->signal(SIGTERM);
  EXPECT_EQ(hasty->wait(seconds(1)), 128 + SIGTERM);
  EXPECT_EQ(patient->wait(seconds(10)), 128 + SIGTERM);
  EXPECT_THAT(
      patient->err(),
      MatchesRegex("error: the command in pod m-0-[a-z0-9]* is still running 5 s after SIGTERM\n"));
  for (const std::string& left : plugin_.left()) {
    if (left.contains("trap")) ::kill(std::stoi(left), SIGKILL);
  }
  expect_nothing_left();
}

TEST_F(KubectlExec, QuitEndsOursAlone) {
  const auto process = start("echo ready; exec sleep 2");
  process->signal(SIGQUIT);
  EXPECT_EQ(process->wait(seconds(1)), 128 + SIGQUIT);
  EXPECT_THAT(plugin_.left(), ::testing::Contains(HasSubstr("sleep 2")));
  expect_nothing_left();
}

// A client of Flux that cancels its job at the second of two interrupts within 2 s, as `flux run`.
TEST_F(KubectlExec, OneInterruptOfFluxIsTwoForItsClient) {
  make_flux(R"(
trap 'trap "echo cancelled; exit 1" INT' INT
echo ready
while :; do sleep 0.1; done
)");
  const auto process = plugin_.start({"flux", "m", "--", "run", "sleep", "1000"});
  ASSERT_TRUE(eventually([&] { return process->out() == "ready\n"; })) << process->err();
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(kEndsWithin), 128 + SIGINT) << process->err();
  EXPECT_EQ(process->out(), "ready\ncancelled\n");
  expect_nothing_left();
}

TEST_F(KubectlExec, AReaderThatGoesAwayIsAHangup) {
  // The stand-in ends as kubectl does when it writes what the program has printed.
  plugin_.with("exec", R"(
while [ "$1" != -- ]; do shift; done
shift
case "$*" in
  *'sleep 1000') ;;
  *) exec "$@" ;;
esac
setsid "$@" >/dev/null 2>"$0.err" &
until [ -s "$0.err" ]; do sleep 0.1; done
cat "$0.err" >&2
sleep 0.5
kill -s PIPE $$)");
  const std::string line = plugin_.shell_line({"exec", "m", "--", "sleep", "1000"});
  const Outcome outcome =
      run({"bash", "-c", line + "| true; echo ${PIPESTATUS[0]}"}, plugin_.options());
  EXPECT_EQ(outcome.out, "141\n") << outcome.err;
  EXPECT_EQ(outcome.err, "");
  expect_nothing_left();
}

TEST_F(KubectlExec, WhatIsTypedReachesTheProgramAlsoIfOnlyTheInputIsATerminal) {
  const Outcome outcome = typed("printf 'typed\\n\\004'", {"exec", "m", "--", "sed", "s/^/read /"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(text_of(file("out")), "read typed\n");
  expect_nothing_left();
}

TEST_F(KubectlExec, ControlCReachesTheProgramAlsoIfOnlyTheInputIsATerminal) {
  const Outcome outcome =
      typed("until grep -q ready \"$OUT\"; do sleep 0.1; done; printf '\\003'; sleep 2",
            {"exec", "m", "--", "sh", "-c",
             "trap \"echo stopped; exit 9\" INT; echo ready; while :; do sleep 0.1; done"});
  EXPECT_EQ(outcome.code, 9) << outcome.out << outcome.err;
  EXPECT_EQ(text_of(file("out")), "ready\nstopped\n");
  expect_nothing_left();
}

// A background job of a script, which ends before it.
TEST_F(KubectlExec, TheEndOfItsParentIsNoSignal) {
  const std::string line =
      plugin_.shell_line({"exec", "m", "--", "sh", "-c", "echo ready; sleep 4; echo done"});
  Process parent({"bash", "-c", line + "& sleep 1000"}, plugin_.options());
  ASSERT_TRUE(eventually([&] { return parent.out() == "ready\n"; })) << parent.err();
  parent.signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return parent.out() == "ready\ndone\n"; })) << parent.out();
  for (const std::string& left : plugin_.left()) {
    if (left.contains(": sleep 1000")) ::kill(std::stoi(left), SIGKILL);
  }
  expect_nothing_left();
}

// The user's own machine, kubectl and the container of the lead are this one; the docs have the
// script.
TEST_F(KubectlExec, FluxProxyReachesTheInstanceFromTheUsersMachine) {
  const char* const flux = std::getenv("MINICLUSTER_FLUX");
  if (flux == nullptr) GTEST_SKIP() << "MINICLUSTER_FLUX is not set";
  const std::string page = text_of(source_dir() / "docs/kubectl-minicluster.md");
  const std::size_t begin = page.find("#!/bin/sh\n# minicluster-ssh");
  ASSERT_NE(begin, std::string::npos);
  std::ofstream(file("minicluster-ssh")) << page.substr(begin, page.find("```", begin) - begin);
  std::filesystem::permissions(file("minicluster-ssh"), std::filesystem::perms::owner_all);
  std::ofstream(file("user.sh")) << "echo \"export PATH=$PATH fluxsocket=$FLUX_URI\" >"
                                 << view_.path().string()
                                 << "/flux-view.sh\nsocket=${FLUX_URI#local://}\nunset FLUX_URI\n"
                                 << "flux proxy ssh://m$socket flux run -N2 -n2 flux getattr rank\n"
                                 << "flux proxy ssh://m$socket \"flux run sh -c 'exit 9'\"\n";
  ProcessOptions user = options({{"FLUX", flux},
                                 {"FLUX_SSH", file("minicluster-ssh")},
                                 {"FLUX_SSH_RCMD", "flux"},
                                 {"SCRIPT", file("user.sh")}});
  user.environment["KUBECONFIG"] = kubeconfig("config", [&](json& config) {
    config["contexts"][0]["context"]["namespace"] = kubectl.namespace_name();
  });
  const Outcome outcome = run({"unshare", "--mount", "sh", "-c",
                               "mount --make-rprivate / && mount --bind \"$FLUX\"/opt /opt && "
                               "PATH=/opt/software/flux/bin:$PATH && export PATH && "
                               "exec flux start --test-size=2 sh \"$SCRIPT\""},
                              user);
  EXPECT_EQ(outcome.code, 9) << outcome.err;
  EXPECT_THAT(outcome.out, MatchesRegex("[01]\n[01]\n")) << outcome.err;
}

}  // namespace
}  // namespace mc::test
