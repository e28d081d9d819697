#include "tests/support/process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/eventually.h"

namespace mc::test {
namespace {

TEST(Process, CodeAndBothOutputsAreTold) {
  const Outcome outcome = run({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
}

TEST(Process, ArgumentsAndInputReachTheProgramAsTheyAre) {
  EXPECT_EQ(run({"printf", "%s|", "a b", "$HOME", "\"'"}).out, "a b|$HOME|\"'|");
  const std::string large(300'000, 'x');
  EXPECT_EQ(run({"cat"}, {.input = large, .environment = {}}).out, large);
}

TEST(Process, EnvironmentIsAddedToOurs) {
  const Outcome outcome = run({"sh", "-c", "echo $ADDED; test -n \"$PATH\""},
                              {.input = "", .environment = {{"ADDED", "1"}}});
  EXPECT_EQ(outcome.out, "1\n");
  EXPECT_EQ(outcome.code, 0);
}

TEST(Process, WhatTakesTooLongIsKilledAndSaysSo) {
  EXPECT_EQ(run({"sleep", "600"}, {}, std::chrono::seconds(0)).code, 124);
}

TEST(Process, SignalsToUsDoNotEndTheWait) {
  const auto before = std::signal(SIGALRM, [](int) {});
  const itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 1000},
                        .it_value = {.tv_sec = 0, .tv_usec = 1000}};
  const itimerval never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  const int code = run({"sleep", "0.1"}).code;
  setitimer(ITIMER_REAL, &never, nullptr);
  std::signal(SIGALRM, before);
  EXPECT_EQ(code, 0);
}

TEST(Process, ASignalShowsInTheCode) {
  Process process({"sleep", "600"});
  EXPECT_EQ(process.wait(std::chrono::milliseconds(0)), std::nullopt);
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(std::chrono::seconds(10)), 128 + SIGTERM);
}

TEST(Process, ASignalThatWeIgnoreEndsTheProgram) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  Process process({"sleep", "100"});
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(std::chrono::seconds(30)), 128 + SIGINT);
  (void)std::signal(SIGINT, before);
}

TEST(Process, OutputCanBeReadWhileItRuns) {
  Process process({"sh", "-c", "echo begun; exec sleep 600"});
  EXPECT_TRUE(eventually([&] { return process.out() == "begun\n"; }));
}

TEST(Process, AProgramThatIsNotThereThrows) {
  EXPECT_THROW(run({"/nonexistent/program"}), std::system_error);
}

TEST(Eventually, GivesUpAtTheLimit) {
  EXPECT_FALSE(eventually([] { return false; }, std::chrono::seconds(0)));
}

}  // namespace
}  // namespace mc::test
