#include <fstream>

#include "e2e/stories/run_words.h"
#include "tests/support/plugin.h"

// `kubectl minicluster run` on a real node with real Flux: standard output is exactly the command's
// output, and the exit code is the command's.
namespace mc::e2e {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::chrono::seconds kLongest{180};

class RealFluxKubectlRun : public PodStory {
 protected:
  // `run NAME FLAGS FILE ARGUMENTS` with a local script.
  Outcome run_script(const std::string& name, const std::string& text,
                     const std::vector<std::string>& flags,
                     const std::vector<std::string>& arguments) const {
    const test::TemporaryFolder folder;
    const std::string file = folder.path() / "script.sh";
    std::ofstream(file) << text;
    std::vector<std::string> words = {"run",    name,          "--image", kApplicationImage,
                                      "--view", kFluxViewImage};
    words.insert(words.end(), flags.begin(), flags.end());
    words.push_back(file);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return plugin_(words, kLongest);
  }

  Outcome run(const std::string& name, const std::vector<std::string>& command,
              const std::vector<std::string>& flags = {}) const {
    return plugin_(run_words(name, command, flags), kLongest);
  }

  void expect_nothing_left() const {
    EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
  }

  test::Plugin plugin_{kubectl};
};

TEST_F(RealFluxKubectlRun, StandardOutputIsTheCommandsAndEachWordArrivesAsItIs) {
  const Outcome outcome =
      run("words", {"printf", "[%s]\\n", "a b", "$HOME", "$(id)", "it's", "*", ""});
  EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
  EXPECT_EQ(outcome.out, "[a b]\n[$HOME]\n[$(id)]\n[it's]\n[*]\n[]\n");
  EXPECT_THAT(outcome.err, HasSubstr("words: running\n"));
  expect_nothing_left();
}

TEST_F(RealFluxKubectlRun, ItEndsWithTheCodeOfTheCommandWithinASecondOfItsReport) {
  const auto process = plugin_.start(
      run_words("seven", {"sh", "-c", "echo out; echo err >&2; exit 7"}, {"-N", "2", "-n", "1"}));
  // `kubectl wait` fails for one that does not exist yet.
  ASSERT_TRUE(test::eventually([&] { return kubectl.get({"minicluster", "seven"}).is_object(); }));
  ASSERT_TRUE(reaches("seven", "Failed", kLongest));
  const test::IdleStopwatch watch;
  EXPECT_EQ(process->wait(kLongest), 7) << process->err() << everything();
  EXPECT_LT(watch.elapsed(), std::chrono::seconds(1));
  EXPECT_EQ(process->out(), "out\n");
  // Flux says on the command's standard error how it ended.
  EXPECT_THAT(process->err(), AllOf(HasSubstr("\nerr\n"), HasSubstr("\nflux-job: task(s) exited"),
                                    HasSubstr("seven: The command ended with code 7\n")));
  const Outcome attached = plugin_({"attach", "seven"}, kLongest);
  EXPECT_EQ(attached.code, 7) << attached.err;
  EXPECT_EQ(attached.out, process->out());
  expect_nothing_left();
}

// Nobody types: such a command would wait for ever, or print colors into a file.
TEST_F(RealFluxKubectlRun, ACommandThatReadsFindsAnEmptyInputAndNoTerminal) {
  const std::string script =
      "cat; for i in 0 1 2; do test -t $i && echo terminal; done; printf last; exit 137";
  const Outcome job = run("job", {"sh", "-c", script});
  EXPECT_EQ(job.code, 137) << job.err << everything();
  EXPECT_THAT(job.out, HasSubstr("last"));
  EXPECT_THAT(job.out, Not(HasSubstr("terminal")));
  const Outcome launcher =
      run("launcher", {"sh", "-c", script}, {"--set", "spec.containers[0].launcher=true"});
  EXPECT_EQ(launcher.code, 137) << launcher.err << everything();
  EXPECT_EQ(launcher.out, "last");
  expect_nothing_left();
}

TEST_F(RealFluxKubectlRun, AScriptRunsInEachTaskWithItsArguments) {
  const Outcome plain = run_script("plain", "printf '[%s]' \"$@\" && echo\n", {"-N", "2"},
                                   {"a b", "-n", "--", "$HOME"});
  EXPECT_EQ(plain.code, 0) << plain.err << everything();
  EXPECT_EQ(plain.out, "[a b][-n][--][$HOME]\n[a b][-n][--][$HOME]\n");
  // Its options are those of its first line: it ends at the first error.
  const Outcome strict =
      run_script("strict", "#!/bin/sh -e\necho \"$1 ${0##*/}\"\n(exit 7)\necho no\n", {}, {"a"});
  EXPECT_EQ(strict.code, 7) << strict.err << everything();
  EXPECT_THAT(strict.out, AllOf(StartsWith("a script.sh\n"), Not(HasSubstr("no\n"))));
}

TEST_F(RealFluxKubectlRun, ABatchScriptRunsOnceAndItsJobsHaveAllNodes) {
  const Outcome outcome = run_script("batch",
                                     "#!/bin/sh\n"
                                     "#SBATCH --nodes=2 --time=5\n"
                                     "echo \"once $1\"\n"
                                     "flux run -N 2 hostname\n"
                                     "exit 7\n",
                                     {}, {"a b"});
  EXPECT_EQ(outcome.code, 7) << outcome.err << everything();
  EXPECT_THAT(outcome.out, AnyOf(StartsWith("once a b\nbatch-0\nbatch-1\n"),
                                 StartsWith("once a b\nbatch-1\nbatch-0\n")));
}

TEST_F(RealFluxKubectlRun, FiftyMegabytesArriveWhole) {
  constexpr int kLines = 1'000'000;
  std::string expected;
  for (int i = 1; i <= kLines; ++i)
    expected += "the output of a long simulation, line " + std::to_string(i) + "\n";
  // As a launcher: through Flux's own streams 50 MB take minutes.
  const Outcome outcome =
      run("large",
          {"seq", "-f", "the output of a long simulation, line %.0f", "1", std::to_string(kLines)},
          {"--set", "spec.containers[0].launcher=true"});
  EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
  EXPECT_EQ(outcome.out.size(), expected.size());
  EXPECT_TRUE(outcome.out == expected);
}

constexpr const char* kCommandEnded = "minicluster: error: the command ended with code ";

// Codes that the pods' scripts have for themselves too, after a line without an end.
TEST_F(RealFluxKubectlRun, TheCodeIsTheCommandsWhateverItPrintedLast) {
  for (const char* const code : {"137", "240"}) {
    for (const bool launches : {false, true}) {
      const std::string name = (launches ? "launcher-" : "job-") + std::string(code);
      const Outcome outcome = run(
          name, {"sh", "-c", "printf 'minicluster: error: no\nlast'; exit " + std::string(code)},
          {"--set", std::string("spec.containers[0].launcher=") + (launches ? "true" : "false")});
      EXPECT_EQ(std::to_string(outcome.code), code) << name << outcome.err << everything();
      // A runtime writes a line without an end when the stream ends: on a busy node, after ours.
      EXPECT_THAT(outcome.out, AnyOf("last", std::string("last") + kCommandEnded + code + "\n"))
          << name;
      EXPECT_THAT(reason(name, "Failed"), HasSubstr(code));
    }
  }
}

// The kubelet says of a pod that is gone that it cannot read its log.
TEST_F(RealFluxKubectlRun, OverASuspensionStandardOutputIsStillTheCommands) {
  const auto process =
      plugin_.start(run_words("held", {"sh", "-c", "echo begun; exec sleep 1000"}));
  for (const char* const out : {"begun\n", "begun\nbegun\n"}) {
    ASSERT_TRUE(test::eventually([&] { return process->out() == out; }, kLongest))
        << process->out() << process->err() << everything();
    kubectl.patch("minicluster", "held", {{"spec", {{"suspend", true}}}});
    ASSERT_TRUE(reaches("held", "Suspended", kLongest)) << everything();
    kubectl.patch("minicluster", "held", {{"spec", {{"suspend", false}}}});
  }
  kubectl.must({"delete", "minicluster", "held"});
  EXPECT_EQ(process->wait(kLongest), 1) << process->err();
  EXPECT_THAT(process->out(), AnyOf("begun\nbegun\n", "begun\nbegun\nbegun\n"));
  expect_nothing_left();
}

TEST_F(RealFluxKubectlRun, FlagsOfSlurmAndFluxDoWhatTheySay) {
  const std::vector<std::string> flags = {"--view", kFluxViewImage, "--mem=64M", "-D", "/usr"};
  std::vector<std::string> words = {"run", "flags", "--image", kApplicationImage, "-N", "2"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"--ntasks-per-node=1", "--start-timeout=3m", "-l", "--", "pwd"});
  const Outcome outcome = plugin_(words, kLongest);
  EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
  EXPECT_THAT(outcome.out, AnyOf("0: /usr\n1: /usr\n", "1: /usr\n0: /usr\n"));
  const Outcome large = run("large", {"true"}, {"--mem=900T", "--start-timeout=5s"});
  EXPECT_EQ(large.code, 124) << large.err << everything();
  EXPECT_EQ(large.out, "");
  EXPECT_THAT(large.err, HasSubstr("Insufficient memory"));
  EXPECT_TRUE(test::eventually([&] { return kubectl.get({"minicluster", "large"}).is_null(); }));
}

TEST_F(RealFluxKubectlRun, WhatIsSubmittedIsAttachedToAndIsHistoryAlsoAfterItsDeletion) {
  std::vector<std::string> words = run_words("later", {"sh", "-c", "echo out; exit 5"});
  words.front() = "submit";
  EXPECT_EQ(plugin_(words, kLongest).out, "minicluster/later created\n");
  const Outcome attached = plugin_({"attach", "later"}, kLongest);
  EXPECT_EQ(attached.code, 5) << attached.err << everything();
  EXPECT_EQ(attached.out, "out\n");
  EXPECT_THAT(plugin_({"history"}, kLongest).out, ContainsRegex("\nlater +1 +Failed +5 "));
  EXPECT_EQ(plugin_({"cancel", "later", "--yes"}, kLongest).code, 0);
  EXPECT_THAT(plugin_({"history"}, kLongest).out, ContainsRegex("\nlater +Failed +5 "));
}

// The kubelet says then that it cannot read the log of the container any more.
TEST_F(RealFluxKubectlRun, AfterADeadlineStandardOutputIsStillTheCommands) {
  const Outcome outcome = run("late", {"sh", "-c", "echo begun; exec sleep 1000"},
                              {"-t", "15s", "--set", "spec.containers[0].launcher=true"});
  EXPECT_EQ(outcome.code, 124) << outcome.err << everything();
  EXPECT_EQ(outcome.out, "begun\n");
  expect_nothing_left();
}

TEST_F(RealFluxKubectlRun, ALeadThatIsKilledMidwayGoesOnInTheSameStream) {
  const NodeFolder marks;
  json cluster = minicluster("again", 1,
                             "sh -c 'if [ -e /marks/one ]; then echo second; else touch "
                             "/marks/one; echo first; sleep 300; fi'");
  container(cluster)["volumes"]["marks"] = marks.volume("/marks");
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "again.yaml";
  std::ofstream(file) << cluster.dump();
  const auto process = plugin_.start({"run", "-f", file});
  ASSERT_TRUE(test::eventually([&] { return process->out() == "first\n"; }, kLongest))
      << process->err() << everything();
  kubectl.must({"delete", "pod", pod_name("again", 0), "--grace-period=0", "--force"});
  EXPECT_EQ(process->wait(kLongest), 0) << process->err() << everything();
  EXPECT_EQ(process->out(), "first\nsecond\n");
  EXPECT_THAT(process->err(), HasSubstr("the lead was recreated as pod again-0-"));
}

}  // namespace
}  // namespace mc::e2e
