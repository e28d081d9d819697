#include "services/controller/cluster/log_tail.h"

#include <gtest/gtest.h>

namespace mc::controller {
namespace {

std::string words(std::string_view tail, std::size_t most = 1024) { return last_words(tail, most); }

// As reported by the kubelet: the last 2,048 bytes, with a truncated first line.
std::string tail_of(std::string log) {
  return log.size() <= 2048 ? log : log.substr(log.size() - 2048);
}

constexpr const char* kBrokersEnd =
    "<6>broker.info[0]: rc2.0: sh /flux_operator/lead.sh flux submit Exited (rc=7) 1.2s\n"
    "<6>broker.info[0]: rc2-fail: run->cleanup 1.23s\n"
    "<3>broker.err[0]: rc3.0: exit\n";

TEST(LastWords, HaveNoLabelsOfTheStandardError) {
  EXPECT_EQ(words("step 1\nminicluster: stderr: lost atom 3\n"
                  "minicluster: stderr: flux-job: task(s) exited with exit code 7\n"
                  "minicluster: stderr: minicluster: error: x\n"),
            "step 1\nlost atom 3\nminicluster: error: x");
}

TEST(LastWords, HaveNoEndOfOursBehindThem) {
  EXPECT_EQ(words("step 1\nlastminicluster: error: the command ended with code 240\n"),
            "step 1\nlast");
}

TEST(LastWords, AreTheCommandsAndNotTheBrokers) {
  EXPECT_EQ(words(std::string("step 1\nlost atom 3\n") + kBrokersEnd), "step 1\nlost atom 3");
  EXPECT_EQ(words(kBrokersEnd), "");
  const struct {
    const char* line;
    bool kept;
  } cases[] = {
      {"lost atom 3", true},
      {"<6>broker.info[0]: x", false},
      {"<3>flux-broker: x", false},
      {"<html>", true},
      {"<>", true},
      {"broker.info[0]: x", false},
      {"sched-fluxion-resource.warning[12]: x", false},
      {"Nov 22 08:59:23.123456 UTC", true},
      {"Nov 22 08:59:23.123456 broker.info[0]: x", false},
      {"Nov  2 08:59:23 broker.err[3]: x", false},
      {"Nov 27 06:32:07.905963 UTC 2026 broker.err[0]: rc2.0: script Exited (rc=127)", false},
      {"Nov 27 06:32:07.905963 UTC 2026 step 3", true},
      {"2026-11-22T08:59:23.123456Z broker.debug[0]: x", false},
      {"08:59:23 step 3", true},
      {"values[0]: 3", true},
      {"my.info[x]: 3", true},
      {"flux-job: task(s) exited with exit code 7", false},
      {"a sentence with broker.info[0]: in it", true},
      {"minicluster: phase=end code=7 index=0 uptime_cs=1", false},
      {"minicluster: runs: flux start", false},
      {"minicluster: error: flux is not in any folder of PATH", true},
      {"minicluster: error: workerPre ended with code 3", false},
      {"minicluster: error: the lamp ended with code 3", true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(words(std::string(c.line) + "\n"), c.kept ? c.line : "") << c.line;
  }
}

TEST(LastWords, AreTheEndOfALongLog) {
  std::string log;
  for (int i = 0; i < 400; ++i) log += "line " + std::to_string(i) + "\n";
  log += kBrokersEnd;
  const std::string end = words(tail_of(log));
  EXPECT_TRUE(end.ends_with("\nline 398\nline 399")) << end;
  EXPECT_TRUE(end.starts_with("line ")) << "whole lines: " << end;
  EXPECT_LE(end.size(), 1024U);
  EXPECT_GT(end.size(), 1000U);
}

TEST(LastWords, OfALineThatWasCutAtItsBeginningAreNoWords) {
  const std::string log = "minicluster: runs: flux start -Slog-stderr-level=6 and so on\n" +
                          std::string(2000, 'x') + "\nlast\n";
  EXPECT_EQ(words(tail_of(log), 10), "last");
  EXPECT_FALSE(words(tail_of(std::string(60, 'm') + log)).contains("runs"));
}

TEST(LastWords, AreCutBetweenCharacters) {
  std::string log = "a";
  for (int i = 0; i < 600; ++i) log += "\u00e9";  // 2 bytes each
  EXPECT_EQ(words(log, 9), "\u00e9\u00e9\u00e9\u00e9");
  EXPECT_EQ(words("one\ntwo\nthree", 9), "two\nthree");
  EXPECT_EQ(words("one\ntwo\nthree", 8), "three");
  EXPECT_EQ(words("", 9), "");
  EXPECT_EQ(words("\n\n", 9), "");
}

TEST(StepEnd, IsThatOfTheLastLineThatSaysSo) {
  const auto told = [](std::string_view tail) {
    const auto end = step_end(tail);
    return end ? end->step + " " + std::to_string(end->code) : "";
  };
  EXPECT_EQ(told("x\nminicluster: error: workerPre ended with code 3\n"), "workerPre 3");
  EXPECT_EQ(told("minicluster: error: pre ended with code 3\r\n"
                 "minicluster: error: the command ended with code 137"),
            "the command 137");
  EXPECT_EQ(told("minicluster: error: the lamp ended with code 3\n"), "");
  EXPECT_EQ(told("echo minicluster: error: pre ended with code 3\nx\n"), "");
  EXPECT_EQ(
      told("minicluster: error: no\nlastminicluster: error: the command ended with code 240\n"),
      "the command 240")
      << "last has no end of line";
  EXPECT_EQ(told("minicluster: error: pre ended with code 3x\n"), "");
  EXPECT_EQ(told(""), "");
}

TEST(ToldEnd, IsTheWholeMessage) {
  EXPECT_EQ(reported_exit_code("the command ended with code 0"), 0);
  EXPECT_EQ(reported_exit_code("the command ended with code 137\n"), 137);
  EXPECT_EQ(reported_exit_code("it seems the command ended with code 0"), std::nullopt);
  EXPECT_EQ(reported_exit_code("the command ended with code x"), std::nullopt);
  EXPECT_EQ(reported_exit_code(""), std::nullopt);
}

TEST(OutlivedJobs, AreReportedByAPodThatASignalEnded) {
  EXPECT_EQ(reported_outlived("ended by a signal; jobs that still ran after 60 s were ended: "
                              "\u0192A (sleep), \u0192B (a; b)\n"),
            "jobs that still ran after 60 s were ended: \u0192A (sleep), \u0192B (a; b)");
  for (const char* message :
       {"", "ended by a signal", "ended by a signal; ",
        "jobs that still ran after 60 s were ended: x", "ended by a signal; what else",
        "x ended by a signal; jobs that still ran after 1 s"}) {
    EXPECT_EQ(reported_outlived(message), "") << message;
  }
}

TEST(Singletons, AreReportedInOneForm) {
  const auto found = reported_singletons("minicluster singletons=4 library=libmpi.so.40.40.7\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tasks, 4);
  EXPECT_EQ(found->library, "libmpi.so.40.40.7");
  for (const char* message :
       {"", "singletons=4 library=libmpi.so", "minicluster singletons=4",
        "minicluster singletons=1 library=libmpi.so", "minicluster singletons=x library=libmpi.so",
        "minicluster singletons=4 library=libmpi.so. Call me", "minicluster singletons=4 library=x",
        "the command ended with code 0"}) {
    EXPECT_FALSE(reported_singletons(message)) << message;
  }
}

}  // namespace
}  // namespace mc::controller
