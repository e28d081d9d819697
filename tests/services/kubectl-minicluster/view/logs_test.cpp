#include "services/kubectl-minicluster/view/logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;

const json kMiniCluster = {{"metadata", {{"name", "m"}}}};

json rank_pod(const std::string& name, const std::string& rank, const json& status,
              const std::string& created = "2026-01-01T00:00:01Z") {
  json container = status;
  container["name"] = "m";
  return {{"metadata",
           {{"name", name},
            {"uid", name + "-uid"},
            {"creationTimestamp", created},
            {"labels", {{"batch.kubernetes.io/job-completion-index", rank}}}}},
          {"status", {{"containerStatuses", {container}}}}};
}

const json kRuns = {{"state", {{"running", json::object()}}}};
const json kWaits = {{"state", {{"waiting", {{"reason", "ContainerCreating"}}}}}};
const json kRestarted = {{"state", {{"running", json::object()}}},
                         {"restartCount", 2},
                         {"lastState", {{"terminated", {{"exitCode", 1}}}}}};
const json kWasRun = {{"state", {{"terminated", {{"exitCode", 1}}}}}};

TEST(RankLogs, AreThoseOfTheLastPodOfEachRankThatHasStarted) {
  const std::vector<json> pods = {
      rank_pod("m-10", "10", kRestarted), rank_pod("m-0-new", "0", kWaits, "2026-01-01T00:00:09Z"),
      rank_pod("m-0-old", "0", kWasRun),  rank_pod("m-2-new", "2", kRuns, "2026-01-01T00:00:09Z"),
      rank_pod("m-2-old", "2", kWasRun),  {{"metadata", {{"name", "m-services"}}}}};
  const auto runs = [&](Runs which) {
    std::vector<std::string> out;
    for (const RankLog& log : logs_to_read(kMiniCluster, pods, which)) {
      EXPECT_EQ(log.target.container, "m");
      out.push_back(std::to_string(log.rank) + " " + log.target.pod + " " + log.run);
    }
    return out;
  };
  EXPECT_THAT(runs(Runs::Latest), ElementsAre("2 m-2-new m-2-new-uid/0", "10 m-10 m-10-uid/2"));
  EXPECT_THAT(runs(Runs::Previous), ElementsAre("10 m-10 m-10-uid/2"));
}

TEST(RankLogs, PrefixesAreEquallyWideAndColouredOnATerminal) {
  EXPECT_EQ(rank_prefix(3, 4, false), "[rank 3] ");
  EXPECT_EQ(rank_prefix(3, 128, false), "[rank   3] ");
  EXPECT_EQ(rank_prefix(127, 128, false), "[rank 127] ");
  EXPECT_EQ(rank_prefix(12, 4, false), "[rank 12] ");
  EXPECT_EQ(rank_prefix(0, 1, true), "\033[36m[rank 0]\033[0m ");
  EXPECT_NE(rank_prefix(1, 2, true).substr(0, 5), rank_prefix(0, 2, true).substr(0, 5));
}

constexpr const char* kFirst = "2026-11-24T22:00:00.000000001Z ";
constexpr const char* kSecond = "2026-11-24T22:00:00.000000002Z ";

TEST(LogLines, AreWholeHoweverTheyCome) {
  LogLines lines("> ", {});
  EXPECT_EQ(lines.take(std::string(kFirst) + "one\r\n" + kFirst + "\n" + kSecond + "th"),
            "> one\n> \n");
  EXPECT_EQ(lines.take(""), "");
  EXPECT_EQ(lines.take("ree\n" + std::string(kSecond) + "fo"), "> three\n");
  EXPECT_EQ(lines.end(), "> fo\n");
  EXPECT_EQ(lines.end(), "");
}

TEST(LogLines, KeepTheirTimesIfWanted) {
  LogLines lines("> ", {.timestamps = true});
  EXPECT_EQ(lines.take(std::string(kFirst) + "one\n"), "> " + std::string(kFirst) + "one\n");
}

// Of a kubelet that sends no times at all.
TEST(LogLines, WithoutATimeAreShownAsTheyAre) {
  for (const char* const line :
       {"unable to retrieve container logs", "2026-11-24T22:00:00.000000001Z", "T",
        " 2026-11-24T22:00:00Z x"}) {
    LogLines lines("> ", {});
    EXPECT_EQ(lines.take(std::string(line) + "\n"), "> " + std::string(line) + "\n");
  }
}

TEST(LogLines, GoOnAfterALostConnectionWithoutARepetition) {
  LogLines lines("> ", {});
  EXPECT_EQ(lines.since(), "");
  EXPECT_EQ(lines.take(std::string(kFirst) + "one\n" + kFirst + "two\n" + kSecond + "ha"),
            "> one\n> two\n");
  lines.read_again();
  EXPECT_EQ(lines.since() + " ", kFirst);
  EXPECT_EQ(lines.take(std::string(kFirst) + "one\n" + kFirst + "two\n" + kSecond + "half\n"),
            "> half\n");
}

// The kubelet ends each stream with it; who read on after it would never end.
TEST(LogLines, TheKubeletsOwnSentenceIsNothingNewAndNoLine) {
  const std::string sentence = "failed to create fsnotify watcher: too many open files";
  const std::string log = std::string(kFirst) + "one\n" + sentence;
  LogLines lines("", {});
  EXPECT_FALSE(lines.has_new());
  EXPECT_EQ(lines.take(log), "one\n");
  EXPECT_EQ(lines.end(), "");
  EXPECT_EQ(lines.take_words(), sentence);
  EXPECT_TRUE(lines.has_new());
  lines.read_again();
  EXPECT_EQ(lines.take(log), "");
  EXPECT_EQ(lines.end(), "");
  EXPECT_EQ(lines.take_words(), sentence);
  EXPECT_FALSE(lines.has_new());
}

TEST(LogLines, HaveNoLabelOfTheStandardError) {
  LogLines lines("> ", {});
  EXPECT_EQ(lines.take(std::string(kFirst) + "minicluster: stderr: one\n"), "> one\n");
}

TEST(LogLines, CannotActOnATerminal) {
  LogLines lines("> ", {.terminal = true});
  EXPECT_EQ(lines.take("\033[2Jgone\r\n"), ">  [2Jgone\n");
}

TEST(LogLines, AreCutBeforeTheyFillTheMemory) {
  LogLines lines("", {});
  const std::string half(LogLines::kLongest / 2, 'x');
  EXPECT_EQ(lines.take(half), "");
  EXPECT_EQ(lines.take(half).size(), LogLines::kLongest + 1);
  EXPECT_EQ(lines.end(), "");
}

}  // namespace
}  // namespace mc::kubectl
