#include <fstream>

#include "e2e/stories/run_words.h"
#include "tests/support/folders.h"
#include "tests/support/plugin.h"
#include "tests/support/temporary_folder.h"

// Where the output and the files of `kubectl minicluster run` are, on a real node with real Flux:
// standard output is the command's, byte for byte, however the command runs and ends.
namespace mc::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::seconds kLongestRun{180};

class RealFluxKubectlResults : public PodStory {
 protected:
  Outcome run(const std::string& name, const std::string& script,
              const std::vector<std::string>& flags = {}) const {
    return plugin_(run_words(name, {"sh", "-c", script}, flags), kLongestRun);
  }
  std::string file(const std::string& name) const { return folder_.path() / name; }
  std::string text(const std::string& name) const { return test::text_of(file(name)); }

  const test::Plugin plugin_{kubectl};
  const test::TemporaryFolder folder_;
};

const std::string kLaunched = "spec.containers[0].launcher=true";

TEST_F(RealFluxKubectlResults, TheStandardErrorIsApartInAJobAndInALauncher) {
  // Both end without a newline, and neither is text.
  const std::string script =
      "printf 'one\\n\\377out'; printf 'minicluster: no\\nwarning\\n\\377err' >&2; exit 3";
  for (const bool launches : {false, true}) {
    const std::string name = launches ? "launcher" : "job";
    const Outcome outcome =
        run(name, script,
            launches ? std::vector<std::string>{"--set", kLaunched} : std::vector<std::string>{});
    EXPECT_EQ(outcome.code, 3) << outcome.err << everything();
    EXPECT_EQ(outcome.out, "one\n\377out") << name;
    EXPECT_THAT(without_progress(outcome.err, name),
                AllOf(HasSubstr("\nminicluster: no\nwarning\n\377err"), Not(HasSubstr("stderr:"))));
    const Outcome logs = plugin_({"logs", name}, kLongestRun);
    EXPECT_EQ(logs.out, outcome.out);
    EXPECT_THAT(logs.err, HasSubstr("warning\n\377err"));
  }
}

TEST_F(RealFluxKubectlResults, EachTaskOfTwoPodsHasBothStreams) {
  const Outcome outcome = run("two", "echo out; echo err >&2", {"-N", "2", "-n", "2", "-l"});
  EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
  EXPECT_THAT(outcome.out, ::testing::AnyOf("0: out\n1: out\n", "1: out\n0: out\n"));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("0: err\n"), HasSubstr("1: err\n")));
}

TEST_F(RealFluxKubectlResults, TheOutputOfABatchsJobsIsInTheLogAndTheirErrorsAreErrors) {
  json cluster =
      minicluster("batch", 2, "sh -c 'echo first; echo wrong >&2'\nsh -c 'echo second; exit 4'");
  container(cluster)["batch"] = true;
  std::ofstream(file("batch.yaml")) << cluster.dump();
  const Outcome outcome = plugin_({"run", "-f", file("batch.yaml")}, kLongestRun);
  EXPECT_EQ(outcome.code, 4) << outcome.err << everything();
  // The id of the batch, those of its jobs, how many wait, and their list; then their outputs.
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("(ƒ[0-9A-Za-z]+\n){3}0 jobs\n([^\n]+\n){3}"
                                                   "job-0: first\njob-1: second\n"));
  EXPECT_THAT(outcome.err, HasSubstr("job-0: wrong\n"));
}

TEST_F(RealFluxKubectlResults, OutputGoesToFilesIfThatIsWanted) {
  const Outcome one = run("one", "echo out; echo err >&2", {"-o", file("both")});
  EXPECT_EQ(one.code, 0) << one.err << everything();
  EXPECT_EQ(one.out, "");
  EXPECT_THAT(one.err, Not(HasSubstr("err\n")));
  EXPECT_THAT(text("both"), ::testing::AnyOf("out\nerr\n", "err\nout\n"));
  const Outcome each =
      plugin_({"attach", "one", "-o", file("out"), "-e", file("err")}, kLongestRun);
  EXPECT_EQ(each.code, 0) << each.err;
  EXPECT_EQ(each.out, "");
  EXPECT_EQ(text("out"), "out\n");
  EXPECT_EQ(text("err"), "err\n");
}

TEST_F(RealFluxKubectlResults, FilesAreCopiedAtTheEndAlsoOfACommandThatFails) {
  const Outcome outcome = run("files",
                              "[ $FLUX_TASK_RANK = 0 ] || exit 3; mkdir -p res/deep && head -c "
                              "20000000 /dev/urandom >res/deep/data && "
                              "sha256sum <res/deep/data; echo log >/tmp/log; exit 3",
                              {"-N", "2", "-n", "2", "-D", "/tmp", "--copy-out", "res",
                               "--copy-out=/tmp/log", "--copy-to", folder_.path()});
  EXPECT_EQ(outcome.code, 3) << outcome.err << everything();
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("files: copied res to "), HasSubstr("files: copied /tmp/log to ")));
  EXPECT_EQ(text("log"), "log\n");
  EXPECT_EQ(test::run({"sh", "-c", "sha256sum <'" + file("res/deep/data") + "'"}).out, outcome.out);
}

TEST_F(RealFluxKubectlResults, WhatIsNotThereIsAnErrorAndTheRestIsCopied) {
  const Outcome outcome = run("some", "echo 1 >/tmp/one",
                              {"--set", kLaunched, "--copy-out=/tmp/none", "--copy-out=/tmp/one",
                               "--copy-to", folder_.path()});
  EXPECT_EQ(outcome.code, 1) << outcome.err << everything();
  EXPECT_EQ(text("one"), "1\n");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("some: error: cannot copy /tmp/none: tar: "),
                                 HasSubstr("No such file"), HasSubstr("some: copied /tmp/one")));
}

// Nobody comes: the pod ends when its time is over.
TEST_F(RealFluxKubectlResults, ALeadStaysForThoseWhoComeLater) {
  const Outcome outcome =
      run("stays", "echo 1 >/tmp/one", {"--set", kLaunched, "--set", "spec.lingerSeconds=1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
  const Outcome detached =
      run("later", "echo 2 >/tmp/two",
          {"--set", kLaunched, "--set", "spec.lingerSeconds=1000", "--detach"});
  EXPECT_EQ(detached.code, 0) << detached.err;
  const Outcome attached =
      plugin_({"attach", "later", "--copy-out=/tmp/two", "--copy-to", folder_.path()}, kLongestRun);
  EXPECT_EQ(attached.code, 0) << attached.err << everything();
  EXPECT_EQ(text("two"), "2\n");
}

}  // namespace
}  // namespace mc::e2e
