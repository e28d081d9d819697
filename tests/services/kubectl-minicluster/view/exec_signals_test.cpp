#include "services/kubectl-minicluster/view/exec_signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <optional>

#include "tests/support/eventually.h"
#include "tests/support/process.h"

namespace mc::kubectl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

constexpr const char* kMark = "mark-1-2-";

TEST(ExecSignals, AProgramIsAnnouncedAndIsItselfInAllElse) {
  const test::Outcome outcome = test::run(
      announced(kMark, {"sh", "-c", "echo $$ \"$@\"; cat; echo error >&2; exit 7", "sh", "a  b"}),
      {.input = "input\n", .environment = {}});
  EXPECT_EQ(outcome.code, 7);
  const std::string process = outcome.out.substr(0, outcome.out.find(' '));
  EXPECT_EQ(outcome.out, process + " a  b\ninput\n");
  EXPECT_EQ(outcome.err, kMark + (" " + process) + "\nerror\n");
}

TEST(ExecSignals, AProgramThatDoesNotExistEndsAsInAShell) {
  EXPECT_EQ(test::run(announced(kMark, {"/nonexistent"})).code, 127);
}

TEST(ExecSignals, TheAnnouncementIsTakenOutWhereverTheTextIsCut) {
  for (const auto& [text, left, process] : std::vector<std::array<std::string, 3>>{
           {"mark-1-2- 34\n", "", "34"},
           {"mark-1-2- 34\nmark-1-2- 56\nerror", "mark-1-2- 56\nerror", "34"},
           {"Warning: old\nmark-1-2- 34\nmar", "Warning: old\nmar", "34"},
           {"mark-mark-1-2- 34\n", "mark-", "34"},
           {"error: no such pod\n", "error: no such pod\n", ""},
           {"Password: ", "Password: ", ""},
           {"mark-1-", "mark-1-", ""},
           {"", "", ""}}) {
    for (std::size_t size = 1; size <= std::max(text.size(), std::size_t{1}); ++size) {
      Announcement announcement(kMark);
      std::string out;
      for (std::size_t at = 0; at < text.size(); at += size)
        out += announcement.take(std::string_view(text).substr(at, size));
      out += announcement.end();
      EXPECT_EQ(out, left) << text << size;
      EXPECT_EQ(announcement.process(), process) << text << size;
    }
  }
}

TEST(ExecSignals, ThereIsNoWaitForMoreAfterAPrompt) {
  EXPECT_EQ(Announcement(kMark).take("Password: "), "Password: ");
}

TEST(ExecSignals, AProgramGetsTheSignalAndAClientOfFluxIsThenInterruptedTwice) {
  const SignalStep first{SIGINT, seconds(1)}, second{SIGINT, seconds(5)};
  EXPECT_THAT(steps_after(SIGINT, Program::Any), ElementsAre(SignalStep{SIGINT, seconds(5)}));
  EXPECT_THAT(steps_after(SIGTERM, Program::Any), ElementsAre(SignalStep{SIGTERM, seconds(5)}));
  EXPECT_THAT(steps_after(SIGPIPE, Program::Any), ElementsAre(SignalStep{SIGHUP, seconds(5)}));
  EXPECT_THAT(steps_after(SIGINT, Program::Flux), ElementsAre(first, second));
  EXPECT_THAT(steps_after(SIGTERM, Program::Flux),
              ElementsAre(SignalStep{SIGTERM, seconds(5)}, first, second));
  EXPECT_EQ(patience_of(steps_after(SIGHUP, Program::Flux)), seconds(11));
}

TEST(ExecSignals, TheExitCodeIsTheProgramsButACancelledJobIsAnInterrupt) {
  EXPECT_EQ(code_after(SIGINT, Program::Any, 5), 5);
  EXPECT_EQ(code_after(SIGTERM, Program::Flux, 85), 85);
  EXPECT_EQ(code_after(SIGINT, Program::Flux, 1), 130);
  EXPECT_EQ(code_after(SIGINT, Program::Flux, 0), 0);
}

// A program in a session of its own, as in a container, or else in ours.
class StartedProgram {
 public:
  explicit StartedProgram(const std::string& script, bool leads = true)
      : process_(command(script, leads)) {
    EXPECT_TRUE(test::eventually([&] { return process_.out().contains("ready\n"); }));
    const std::string out = process_.out();
    id_ = out.substr(0, out.find('\n'));
  }

  int code_of_signals(const std::vector<SignalStep>& steps) const {
    // The program is a child of ours, and a zombie until we have asked for its end.
    const auto sent = std::make_unique<test::Process>(signal_command(id_, steps));
    std::optional<int> code;
    const bool ended = test::eventually([&] {
      (void)process_.wait(milliseconds(0));
      code = sent->wait(milliseconds(0));
      return code.has_value();
    });
    EXPECT_TRUE(ended) << sent->err();
    EXPECT_EQ(sent->out() + sent->err(), "");
    return code.value_or(-1);
  }

  std::optional<int> code() const { return process_.wait(milliseconds(0)); }
  std::string out() const { return process_.out(); }

 private:
  static std::vector<std::string> command(const std::string& script, bool leads) {
    std::vector<std::string> words = {"setsid", "sh", "-c", "echo $$; " + script};
    if (!leads) words.erase(words.begin());
    return words;
  }

  mutable test::Process process_;
  std::string id_;
};

TEST(ExecSignals, AProgramThatLeadsItsGroupGetsItWithAllInTheGroup) {
  const StartedProgram program(R"(trap "exit 9" TERM
    sh -c 'trap "echo child; exit" TERM; echo ready; while :; do sleep 0.1; done' & wait)");
  EXPECT_EQ(program.code_of_signals({{SIGTERM, seconds(5)}}), 0);
  EXPECT_EQ(program.code(), 9);
  EXPECT_TRUE(test::eventually([&] { return program.out().contains("child\n"); }));
}

TEST(ExecSignals, AnotherGetsItAlone) {
  const StartedProgram program("echo ready; exec sleep 1000", false);
  EXPECT_EQ(program.code_of_signals({{SIGINT, seconds(5)}}), 0);
  EXPECT_EQ(program.code(), 128 + SIGINT);
}

TEST(ExecSignals, TheNextStepFollowsIfTheProgramRunsOn) {
  const StartedProgram program(R"(trap "echo term" TERM; trap "echo int; trap - INT" INT
                           echo ready; while :; do sleep 0.1; done)");
  EXPECT_EQ(program.code_of_signals({{SIGTERM, milliseconds(300)},
                                     {SIGINT, milliseconds(500)},
                                     {SIGINT, seconds(5)},
                                     {SIGKILL, seconds(5)}}),
            0);
  EXPECT_EQ(program.code(), 128 + SIGINT);
  EXPECT_THAT(program.out(), MatchesRegex("[0-9]+\nready\nterm\nint\n"));
}

TEST(ExecSignals, AProgramThatTakesNoNoticeIsTold) {
  const StartedProgram program(R"(trap "" TERM; echo ready; while :; do sleep 0.1; done)");
  EXPECT_EQ(program.code_of_signals({{SIGTERM, milliseconds(300)}}), kProgramRunsOn);
  EXPECT_EQ(program.code(), std::nullopt);
}

TEST(ExecSignals, OneThatHasEndedIsNoError) {
  const StartedProgram program("echo ready");
  EXPECT_TRUE(test::eventually([&] { return program.code().has_value(); }));
  EXPECT_EQ(program.code_of_signals({{SIGTERM, seconds(5)}}), 0);
}

}  // namespace
}  // namespace mc::kubectl
