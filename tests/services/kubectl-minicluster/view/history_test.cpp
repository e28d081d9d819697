#include "services/kubectl-minicluster/view/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/model/command_end.h"
#include "common/base/rfc3339.h"

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string at(const std::string& time) { return "2026-01-01T" + time + "Z"; }

json event_of(const std::string& uid, const std::string& reason, const std::string& time,
              const std::string& message = "") {
  return {{"involvedObject",
           {{"kind", "MiniCluster"}, {"namespace", "team"}, {"name", "of-" + uid}, {"uid", uid}}},
          {"reason", reason},
          {"message", message},
          {"lastTimestamp", at(time)}};
}

json ended_cluster(const std::string& uid, const std::string& type, const std::string& reason,
                   const std::string& message = "") {
  return {{"metadata", {{"namespace", "team"}, {"name", "of-" + uid}, {"uid", uid}}},
          {"spec", {{"size", 4}}},
          {"status",
           {{"phase", type == "Complete" ? "Succeeded" : "Failed"},
            {"startTime", at("11:00:00")},
            {"completionTime", at("11:30:00")},
            {"conditions",
             {{{"type", type}, {"status", "True"}, {"reason", reason}, {"message", message}}}}}}};
}

// Without the headings.
std::vector<std::string> rows_of(const History& history, bool namespaces = false) {
  const Time now = parse_rfc3339(at("12:00:00")).value();
  std::vector<std::string> out;
  for (const Row& row : history_table(history, namespaces, now)) {
    std::string line;
    for (const Cell& cell : row) line += (line.empty() ? "" : "|") + cell.text;
    out.push_back(line);
  }
  EXPECT_EQ(out.front().ends_with("NAME|SIZE|RESULT|CODE|ENDED|TOOK|WHY"), true);
  out.erase(out.begin());
  return out;
}

TEST(History, OfThoseThatExistHasTheirStatus) {
  EXPECT_THAT(rows_of({.miniclusters = {ended_cluster("a", "Complete", "CommandSucceeded"),
                                        ended_cluster("b", "Failed", "CommandFailed",
                                                      api::command_ended_with(7) + ": x"),
                                        ended_cluster("c", "Failed", "DeadlineExceeded")}}),
              ElementsAre("of-a|4|Succeeded|0|30m|30m|CommandSucceeded",
                          "of-b|4|Failed|7|30m|30m|CommandFailed",
                          "of-c|4|Failed||30m|30m|DeadlineExceeded"));
  json running = ended_cluster("d", "Complete", "CommandSucceeded");
  running["status"]["conditions"][0]["status"] = "False";
  EXPECT_THAT(
      rows_of({.miniclusters = {running}, .events = {event_of("d", "CommandFailed", "11:00:00")}}),
      IsEmpty());
}

TEST(History, TheCommandsTimeIsCountedFromItsQuorumIfThatIsKnown) {
  EXPECT_THAT(rows_of({.miniclusters = {ended_cluster("a", "Complete", "CommandSucceeded")},
                       .events = {event_of("a", "CommandSucceeded", "11:30:01"),
                                  event_of("a", "QuorumReached", "11:29:00")}}),
              ElementsAre("of-a|4|Succeeded|0|30m|60s|CommandSucceeded"));
}

TEST(History, OfDeletedOnesEventsTell) {
  const std::vector<json> events = {
      event_of("a", "CommandSucceeded", "11:40:00"),
      event_of("a", "QuorumReached", "11:30:00"),
      event_of("b", "CommandFailed", "11:50:00", api::command_ended_with(9)),
      event_of("c", "Created", "11:58:00"),
      event_of("c", "Unschedulable", "11:58:10"),
      event_of("d", "BackoffLimitExceeded", "11:59:00"),
      event_of("d", "FailedCreate", "11:59:30"),
      event_of("e", "OOMKilled", "11:59:40")};
  EXPECT_THAT(
      rows_of({.events = events}),
      ElementsAre("of-a||Succeeded|0|20m|10m|CommandSucceeded", "of-b||Failed|9|10m||CommandFailed",
                  "of-c||Deleted||110s||Unschedulable", "of-d||Failed||60s||BackoffLimitExceeded",
                  "of-e||Deleted||20s||OOMKilled"));
  EXPECT_THAT(rows_of({.events = events, .deleted = false}), IsEmpty());
}

TEST(History, TheCodeIsTheFieldOfTheStatusAndTheAnnotationOfTheEvent) {
  json cluster = ended_cluster("a", "Failed", "CommandFailed", "Any words.");
  cluster["status"]["exitCode"] = 7;
  json event = event_of("b", "CommandFailed", "11:40:00", "Any words.");
  event["metadata"]["annotations"]["flux-framework.org/exit-code"] = "9";
  EXPECT_THAT(
      rows_of({.miniclusters = {cluster}, .events = {event}}),
      ElementsAre("of-a|4|Failed|7|30m|30m|CommandFailed", "of-b||Failed|9|20m||CommandFailed"));
}

TEST(History, OneThatWasMadeAnewIsAnother) {
  json anew = ended_cluster("b", "Complete", "CommandSucceeded");
  anew["metadata"]["name"] = "of-a";
  EXPECT_THAT(
      rows_of({.miniclusters = {anew}, .events = {event_of("a", "JobLost", "11:45:00")}}, true),
      ElementsAre("team|of-a|4|Succeeded|0|30m|30m|CommandSucceeded",
                  "team|of-a||Failed||15m||JobLost"));
}

TEST(History, AnEventThatIsNotOfAMiniClusterIsNone) {
  json of_job = event_of("a", "BackoffLimitExceeded", "11:00:00");
  of_job["involvedObject"]["kind"] = "Job";
  EXPECT_THAT(rows_of({.events = {of_job, json::object()}}), IsEmpty());
}

}  // namespace
}  // namespace mc::kubectl
