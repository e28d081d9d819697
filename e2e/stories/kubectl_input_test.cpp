#include <fstream>

#include "e2e/stories/run_words.h"
#include "tests/support/plugin.h"
#include "tests/support/temporary_folder.h"

// The standard input of `kubectl minicluster run` on a real node with real Flux.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::seconds kLongestRead{180};

class RealFluxKubectlInput : public PodStory {
 protected:
  std::vector<std::string> run_of(const std::string& name, const std::vector<std::string>& command,
                                  const std::vector<std::string>& flags = {}) const {
    return plugin_.command(run_words(name, command, flags));
  }

  // `client` is shell text that ends in "$@", the words of run.
  std::unique_ptr<test::Process> start(const std::string& client,
                                       const std::vector<std::string>& words) const {
    std::vector<std::string> command = {"bash", "-c", client, "bash"};
    command.insert(command.end(), words.begin(), words.end());
    test::ProcessOptions options = plugin_.options();
    options.environment["FOLDER"] = folder_.path();
    return std::make_unique<test::Process>(command, options);
  }

  Outcome run(const std::string& client, const std::vector<std::string>& words) const {
    const auto process = start(client, words);
    const auto code = process->wait(kLongestRead);
    return {code.value_or(124), process->out(), process->err()};
  }

  // The container's process of the command.
  void kill_lead(const std::string& name) const {
    kubectl.must({"delete", "pod", "--grace-period=0", "--force", "--wait=false",
                  "--selector=batch.kubernetes.io/job-completion-index=0,job-name=" + name});
  }

  const test::Plugin plugin_{kubectl};
  const test::TemporaryFolder folder_;
};

const std::vector<std::string> kLauncher = {"--set", "spec.containers[0].launcher=true"};

TEST_F(RealFluxKubectlInput, APipeReachesTheFirstTaskByteByByte) {
  // No last newline, no text, and a writer that is slow.
  const std::string client = R"({ printf 'one\n\377\000two'; sleep 1; printf '\nlast'; } | "$@")";
  for (const bool launches : {false, true}) {
    const std::string name = launches ? "launcher" : "job";
    const Outcome outcome = run(
        client, run_of(name, {"od", "-An", "-c"}, launches ? kLauncher : decltype(kLauncher)()));
    EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
    EXPECT_EQ(outcome.out, "   o   n   e  \\n 377  \\0   t   w   o  \\n   l   a   s   t\n");
  }
}

TEST_F(RealFluxKubectlInput, AScriptInAFileIsRunAndOtherTasksHaveNoInput) {
  std::ofstream(folder_.path() / "script.sh") << "echo \"$FLUX_TASK_RANK $1\"\nexit 3\n";
  const Outcome first =
      run(R"("$@" <"$FOLDER/script.sh")", run_of("first", {"sh", "-s", "word"}, {"-N", "2"}));
  EXPECT_EQ(first.code, 3) << first.err << everything();
  EXPECT_EQ(first.out, "0 word\n");
  const Outcome all = run(R"("$@" <"$FOLDER/script.sh")",
                          run_of("all", {"sh", "-s", "word"}, {"-N", "2", "-i", "all"}));
  EXPECT_EQ(all.code, 3) << all.err << everything();
  EXPECT_THAT(all.out, ::testing::AnyOf("0 word\n1 word\n", "1 word\n0 word\n"));
}

TEST_F(RealFluxKubectlInput, ACommandThatDoesNotReadEndsAllTheSame) {
  // Without an end. That of a job is slow: Flux fails a job with an input of more than 10 MB.
  constexpr const char* kSlow = R"(while echo y; do sleep 0.1; done | "$@")";
  for (const bool launches : {false, true}) {
    const std::string name = launches ? "launcher" : "job";
    const Outcome outcome =
        run(launches ? R"(yes | "$@")" : kSlow,
            run_of(name, {"echo", "done"}, launches ? kLauncher : decltype(kLauncher)()));
    EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
    EXPECT_EQ(outcome.out, "done\n");
    EXPECT_THAT(outcome.err, Not(HasSubstr("standard input")));
  }
  const Outcome none = run(R"(echo data | "$@")", run_of("none", {"cat"}, {"--input=none"}));
  EXPECT_EQ(none.code, 0) << none.err << everything();
  EXPECT_EQ(none.out, "");
}

TEST_F(RealFluxKubectlInput, LargeInputArrivesWhole) {
  std::string text;
  for (int i = 0; text.size() < (50U << 20); ++i) text += std::to_string(i) + "\n";
  std::ofstream(folder_.path() / "large") << text;
  std::vector<std::string> flags = kLauncher;
  const std::string sum = R"(sum=$(sha256sum <"$FOLDER/large"); )";
  const Outcome outcome = run(sum + R"(echo "$sum"; exec "$@" <"$FOLDER/large")",
                              run_of("large", {"sha256sum"}, flags));
  EXPECT_EQ(outcome.code, 0) << outcome.err << everything();
  ASSERT_EQ(outcome.out.size() % 2, 0U);
  EXPECT_EQ(outcome.out.substr(0, outcome.out.size() / 2),
            outcome.out.substr(outcome.out.size() / 2));
}

TEST_F(RealFluxKubectlInput, ATerminalIsReadUntilControlD) {
  const std::string client =
      R"--(mkfifo "$FOLDER/keys"
      script -qec "$(printf '%q ' "$@")" /dev/null <"$FOLDER/keys" &
      exec 3>"$FOLDER/keys"
      printf 'typed\n\004' >&3
      wait "$!")--";
  const Outcome outcome = run(client, run_of("typist", {"sed", "s/.*/read &/"}));
  EXPECT_EQ(outcome.code, 0) << outcome.out << everything();
  EXPECT_THAT(outcome.out, HasSubstr("read typed"));
}

TEST_F(RealFluxKubectlInput, ALeadThatIsMadeAnewGetsAFileAgainAndIsToldThatAPipeIsGone) {
  const std::vector<std::string> command = {"sh", "-c", "cat; sleep 8"};
  std::ofstream(folder_.path() / "data") << "data\n";
  const auto file = start(R"("$@" <"$FOLDER/data")", run_of("file", command, kLauncher));
  const auto pipe = start(R"(echo data | "$@")", run_of("pipe", command, kLauncher));
  for (const auto& [name, process] : {std::pair{"file", &file}, {"pipe", &pipe}}) {
    ASSERT_TRUE(test::eventually([&] { return (*process)->out() == "data\n"; }, kLongestRead))
        << (*process)->err() << everything();
    kill_lead(name);
  }
  EXPECT_EQ(file->wait(kLongestRead), 0) << file->err() << everything();
  EXPECT_EQ(file->out(), "data\ndata\n");
  EXPECT_THAT(pipe->wait(kLongestRead), ::testing::Optional(1)) << pipe->err() << everything();
  EXPECT_EQ(pipe->out(), "data\n");
  EXPECT_THAT(pipe->err(), HasSubstr("the standard input cannot be sent again"));
}

}  // namespace
}  // namespace mc::e2e
