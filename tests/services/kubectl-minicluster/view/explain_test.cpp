#include "services/kubectl-minicluster/view/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/model/conditions.h"
#include "common/base/rfc3339.h"
#include "services/kubectl-minicluster/view/page.h"
#include "tests/services/kubectl-minicluster/view/golden.h"

namespace mc::kubectl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Time kNoon = parse_rfc3339("2026-01-01T12:00:00Z").value();

Explained explained() {
  Explained out;
  for (json& object : recorded("explained.yaml")) {
    if (object["kind"] == "MiniCluster") {
      out.minicluster = std::move(object);
    } else {
      (object["kind"] == "Pod" ? out.pods : out.events).push_back(std::move(object));
    }
  }
  out.logs = {{"The lead's last lines (pod lammps-0-aaaaa)",
               "minicluster: phase=broker index=0\n\033[31mwaiting\033[0m for followers\n",
               "2026-01-01T11:58:30.123456789Z"}};
  out.unread = {"events is forbidden: User \"a\" cannot list resource \"events\""};
  return out;
}

std::string page(const Explained& what, const Layout& layout) {
  std::string out;
  for (const std::string& line : explain_page(what, layout, kNoon)) out += line + "\n";
  return out;
}

std::vector<std::string> reasons(const std::vector<api::Condition>& conditions) {
  json object;
  for (const api::Condition& each : conditions) {
    object["status"]["conditions"].push_back({{"type", each.type},
                                              {"status", each.status ? "True" : "False"},
                                              {"reason", each.reason},
                                              {"message", each.message}});
  }
  std::vector<std::string> out;
  for (const json& each : conditions_that_matter(object)) {
    out.push_back(text_at(each, {"type"}) + " " + text_at(each, {"reason"}));
  }
  return out;
}

TEST(ExplainPage, OfARecordedStateIsTheGoldenOne) {
  expect_golden("explain-80.txt", page(explained(), {.columns = 80}));
  expect_golden("explain-200.txt", page(explained(), {.columns = 200, .colours = true}));
  expect_golden("explain-no-terminal.txt", page(explained(), {}));
}

TEST(ExplainPage, HasALineForWarningsOfManyPodsWithTheirNumber) {
  Explained what = explained();
  for (char last = 'a'; last < 'h'; ++last) {
    what.events.push_back({{"type", "Warning"},
                           {"reason", "FailedCreate"},
                           {"message", std::string("pods \"lammps-1-aaaa") + last + "\": no"},
                           {"lastTimestamp", "2026-01-01T11:59:55Z"},
                           {"involvedObject", {{"kind", "Job"}, {"name", "lammps"}}}});
  }
  EXPECT_THAT(page(what, {}),
              HasSubstr("\n  5s (x7)  Job/lammps  FailedCreate: pods \"lammps-1-aaaaa\": no\n"));
}

// As kube-scheduler 1.37 leaves it: only of the last pod, it says why there is no room.
Explained waiting_for_all() {
  Explained out;
  const std::string words = "pod group is unschedulable, minCount (3) cannot be satisfied";
  out.minicluster = json::parse(R"({"metadata": {"name": "second"}, "spec": {"size": 3},
      "status": {"phase": "Starting", "size": 3, "conditions": [
        {"type": "GangScheduled", "status": "False", "reason": "Unschedulable"},
        {"type": "Ready", "status": "False", "reason": "Unschedulable"}]}})");
  json& conditions = out.minicluster["status"]["conditions"];
  conditions[0]["message"] = words + ", no victims.";
  conditions[1]["message"] = "pod second-0-abcde: pod group is unschedulable, " + words;
  for (const auto& [rank, said] :
       {std::pair("0", "pod group is unschedulable, " + words + ", no victims"),
        std::pair("1", words), std::pair("2", std::string("0/4 nodes are available"))}) {
    out.pods.push_back({{"metadata",
                         {{"name", std::string("second-") + rank + "-abcde"},
                          {"labels", {{"batch.kubernetes.io/job-completion-index", rank}}}}},
                        {"status",
                         {{"phase", "Pending"},
                          {"conditions", json::array({{{"type", "PodScheduled"},
                                                       {"status", "False"},
                                                       {"reason", "Unschedulable"},
                                                       {"message", said}}})}}}});
  }
  return out;
}

TEST(ExplainPage, OfAPodGroupThatWaitsHasTheWordsOfTheGroupAndThoseOfAPodThatDoNotRepeatThem) {
  const std::string text = page(waiting_for_all(), {});
  EXPECT_THAT(text, AllOf(HasSubstr("GangScheduled is false, Unschedulable"),
                          HasSubstr("    pod group is unschedulable, minCount (3) cannot"),
                          HasSubstr("Add nodes, request less, or scale down."),
                          HasSubstr("Pods without a node:\n"
                                    "  0 of 3 pods have a node, and the command needs 3.\n"
                                    "  pods 0 and 1 (first second-0-abcde)\n"
                                    "    Waits until there is room for all (see GangScheduled)."
                                    "\n  pod 2 (second-2-abcde)\n"
                                    "    Unschedulable: 0/4 nodes are available\n")));
  EXPECT_THAT(text, Not(HasSubstr("Pods that fail or wait")));
  EXPECT_THAT(text, Not(HasSubstr("Ready is false"))) << "it has the words of a pod";
}

TEST(ExplainPage, OfAPodGroupThatIsNotDecidedDoesNotSpeakOfTheQueue) {
  Explained what = waiting_for_all();
  json& gang = what.minicluster["status"]["conditions"][0];
  gang["reason"] = "Waiting";
  gang["message"] = "The scheduler has not decided yet.";
  EXPECT_THAT(page(what, {}), AllOf(HasSubstr("GangScheduled is false, Waiting"),
                                    HasSubstr("has not decided about the PodGroup: Wait; after 30"),
                                    Not(HasSubstr("docs/queue.md"))));
}

TEST(ExplainPage, OfOneWithoutStatusSaysWhoWouldWriteIt) {
  Explained nothing;
  nothing.minicluster = {{"metadata", {{"name", "m"}, {"namespace", "a"}}}};
  EXPECT_THAT(page(nothing, {}), HasSubstr("Either no controller handles"));
  EXPECT_FALSE(explain_page({}, {}, kNoon).empty());
}

TEST(ExplainPage, IsAPageWhateverTheClusterSays) {
  const std::string much(1 << 20, 'x');
  Explained what = explained();
  json& conditions = what.minicluster["status"]["conditions"];
  conditions[2]["message"] = much;
  std::string many_lines;
  for (int i = 0; i < 100'000; ++i) many_lines += "line\n";
  conditions[0] = {
      {"type", "Accepted"}, {"status", "False"}, {"reason", "Invalid"}, {"message", many_lines}};
  what.pods.clear();
  for (int i = 0; i < 1000; ++i) {
    what.pods.push_back({{"metadata", {{"name", "m-" + std::to_string(i)}}},
                         {"status", {{"reason", "Evicted"}, {"message", std::to_string(i)}}}});
    what.events.push_back({{"type", "Warning"},
                           {"reason", "R" + std::to_string(i)},
                           {"message", much.substr(0, 5000)},
                           {"involvedObject", {{"kind", "MiniCluster"}, {"uid", "u-1"}}}});
  }
  what.logs = {{"Log:", much + "\n" + many_lines}};
  const std::vector<std::string> lines = explain_page(what, {}, kNoon);
  EXPECT_LT(lines.size(), 120U);
  for (const std::string& line : lines) EXPECT_LE(line.size(), Page::kMostCharacters + 10);
}

TEST(ExplainPage, SaysOfACommandThatIsSilentForAMinuteThatItMayBeStuckAtItsEnd) {
  constexpr const char* kStuck = "\"A job that does not end\"";
  Explained what = explained();
  what.minicluster["status"]["phase"] = "Running";
  what.logs = {{.title = "Log",
                .text = "the sum is 10\n",
                .last_time = "2026-01-01T11:46:00.5Z",
                .may_grow = true}};
  EXPECT_THAT(page(what, {}), AllOf(HasSubstr("Log, the last one 14m ago:\n  the sum is 10\n\n"),
                                    HasSubstr("No output for 14m:\n"), HasSubstr(kStuck)));
  const auto is_silent = [&](auto change) {
    Explained other = what;
    change(other);
    return page(other, {}).contains(kStuck);
  };
  EXPECT_FALSE(is_silent([](Explained& it) { it.logs[0].last_time = "2026-01-01T11:59:01Z"; }));
  EXPECT_FALSE(is_silent([](Explained& it) { it.logs[0].last_time = "2026-01-01T12:09:00Z"; }));
  EXPECT_FALSE(is_silent([](Explained& it) { it.logs[0].last_time = ""; }));
  EXPECT_FALSE(is_silent([](Explained& it) { it.logs[0].may_grow = false; }));
  EXPECT_FALSE(is_silent([](Explained& it) { it.minicluster["status"]["phase"] = "Starting"; }));
  EXPECT_FALSE(is_silent([](Explained& it) { it.minicluster["spec"]["interactive"] = true; }));
}

TEST(ConditionsThatMatter, AreTheCausesOncePerReason) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(reasons({{"Accepted", true, "Valid", ""},
                     {"ObjectsReady", true, "Created", ""},
                     {"Ready", true, "QuorumReached", ""}}),
            Words{"Ready QuorumReached"});
  EXPECT_EQ(reasons({{"Accepted", false, "Invalid", ""},
                     {"ObjectsReady", false, "NotAccepted", ""},
                     {"Ready", false, "NotAccepted", ""}}),
            Words{"Accepted Invalid"});
  EXPECT_EQ(
      reasons({{"GangScheduled", false, "SchedulerSilent", ""}, {"Ready", false, "Starting", ""}}),
      (Words{"GangScheduled SchedulerSilent", "Ready Starting"}));
  EXPECT_EQ(
      reasons({{"GangScheduled", false, "NotOffered", ""}, {"Ready", true, "QuorumReached", ""}}),
      (Words{"GangScheduled NotOffered", "Ready QuorumReached"}));
  EXPECT_EQ(reasons({{"GangScheduled", false, "Suspended", ""}, {"Ready", false, "Suspended", ""}}),
            Words{"Ready Suspended"});
  EXPECT_EQ(reasons({{"Suspended", true, "Waiting", ""},
                     {"QuotaReserved", false, "NeverFits", ""},
                     {"Ready", false, "NeverFits", ""}}),
            Words{"QuotaReserved NeverFits"});
  EXPECT_EQ(reasons({{"Suspended", false, "Resumed", ""},
                     {"QuotaReserved", true, "Reserved", ""},
                     {"Ready", false, "CommandFailed", ""},
                     {"Failed", true, "CommandFailed", ""}}),
            Words{"Failed CommandFailed"});
}

}  // namespace
}  // namespace mc::kubectl
