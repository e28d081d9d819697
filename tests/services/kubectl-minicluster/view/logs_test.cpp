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

TEST(LogLines, AreWholeHoweverTheyCome) {
  LogLines lines("> ", false);
  EXPECT_EQ(lines.take("one\r\n\nth"), "> one\n> \n");
  EXPECT_EQ(lines.take(""), "");
  EXPECT_EQ(lines.take("ree\nfo"), "> three\n");
  EXPECT_EQ(lines.end(), "> fo\n");
  EXPECT_EQ(lines.end(), "");
}

TEST(LogLines, HaveNoLabelOfTheStandardError) {
  LogLines lines("> ", false);
  EXPECT_EQ(lines.take("minicluster: stderr: one\n"), "> one\n");
}

TEST(LogLines, CannotActOnATerminal) {
  LogLines lines("> ", true);
  EXPECT_EQ(lines.take("\033[2Jgone\r\n"), ">  [2Jgone\n");
}

TEST(LogLines, AreCutBeforeTheyFillTheMemory) {
  LogLines lines("", false);
  const std::string half(LogLines::kLongest / 2, 'x');
  EXPECT_EQ(lines.take(half), "");
  EXPECT_EQ(lines.take(half).size(), LogLines::kLongest + 1);
  EXPECT_EQ(lines.end(), "");
}

}  // namespace
}  // namespace mc::kubectl
