#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "common/base/yaml.h"
#include "tests/charts/minicluster-operator/monitoring.h"
#include "tests/support/helm.h"
#include "tests/support/stage.h"
#include "tests/support/temporary_folder.h"

// The alerts, as promtool evaluates them, and their runbooks.
namespace mc::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::filesystem::path> stories() {
  return yaml_files(source_dir() / "tests/charts/minicluster-operator/alerts");
}

std::filesystem::path runbooks() { return source_dir() / "docs/runbooks"; }

std::set<std::string> alert_names() {
  std::set<std::string> out;
  for (const json& alert : alerts()) out.insert(alert.at("alert").get<std::string>());
  return out;
}

TEST(Rules, PromtoolFindsNothingInThem) {
  const std::string file = chart() / "files/alerts.yaml";
  must_run({"promtool", "check", "rules", "--lint=all", "--lint-fatal", file});
  EXPECT_EQ(alert_names().size(), alerts().size()) << "a name is given twice";
}

TEST(Rules, FireAndClearAsTheirStoriesSay) {
  EXPECT_EQ(stories().size(), 6U);
  for (const auto& file : stories()) must_run({"promtool", "test", "rules", file});
}

TEST(Rules, AWrongExpectationIsFound) {
  json story = parse_yaml(read_file(stories().at(0))).value().at(0);
  story["rule_files"] = json::array({(chart() / "files/alerts.yaml").string()});
  json& expected = story.at("/tests/0/alert_rule_test/0"_json_pointer);
  expected["exp_alerts"] = json::parse(R"([{"exp_labels": {"severity": "critical"}}])");
  const TemporaryFolder folder;
  const auto file = folder / "story.yaml";
  std::ofstream(file) << story;
  EXPECT_EQ(run({"promtool", "test", "rules", file}).code, 1);
}

// The course of an alert in one story: it fires at some time, and no longer at a later one.
struct Fate {
  bool fires = false, clears = false;
};

std::map<std::string, Fate> fates(const json& story) {
  std::map<std::string, Fate> out;
  for (const json& moment : story.at("alert_rule_test")) {  // in chronological order
    Fate& fate = out[moment.at("alertname")];
    const bool fires = !moment.at("exp_alerts").empty();
    fate.clears = fate.clears || (fate.fires && !fires);
    fate.fires = fate.fires || fires;
  }
  return out;
}

TEST(Rules, EachAlertHasAStoryInWhichItFiresAndClearsAndOneInWhichItDoesNot) {
  std::set<std::string> clears, still;
  for (const auto& file : stories()) {
    if (file.stem() == "calm") continue;  // no alert fires there, which alone proves little
    const json tests = parse_yaml(read_file(file)).value().at(0).at("tests");
    for (const json& story : tests) {
      for (const auto& [name, fate] : fates(story)) {
        if (fate.clears) clears.insert(name);
        if (!fate.fires) still.insert(name);
      }
    }
  }
  EXPECT_EQ(clears, alert_names());
  EXPECT_EQ(still, alert_names());
}

TEST(Rules, NoneFiresOnAFreshInstall) {
  const auto file = source_dir() / "tests/charts/minicluster-operator/alerts/calm.yaml";
  std::set<std::string> asked;
  const json tests = parse_yaml(read_file(file)).value().at(0).at("tests");
  for (const json& story : tests) {
    for (const auto& [name, fate] : fates(story)) {
      asked.insert(name);
      EXPECT_FALSE(fate.fires) << name;
    }
  }
  EXPECT_EQ(asked, alert_names());
}

TEST(Rules, AskForMetricsThatAreServed) {
  for (const json& alert : alerts()) {
    const std::string expression = alert.at("expr");
    EXPECT_FALSE(metrics_of(expression).empty()) << alert;
    EXPECT_THAT(unknown_metrics_of(expression), IsEmpty()) << alert;
  }
}

// Other programs in the same Prometheus also have work queues and webhooks.
TEST(Rules, ChooseOurJobsInEverySelector) {
  for (const json& alert : alerts()) {
    const std::string expression = alert.at("expr");
    for (std::size_t at = expression.find('{'); at != std::string::npos;
         at = expression.find('{', at + 1)) {
      EXPECT_THAT(expression.substr(at),
                  AnyOf(StartsWith("{job=\"minicluster-operator-"),
                        StartsWith("{job=~\"minicluster-operator-controller-metrics|"
                                   "minicluster-operator-webhook-metrics\"")))
          << alert;
    }
  }
}

TEST(Rules, EachSaysHowSevereItIsAndWhatItMeans) {
  for (const json& alert : alerts()) {
    const std::string name = alert.at("alert");
    EXPECT_THAT(name, StartsWith("MiniCluster"));
    EXPECT_THAT(alert.at("labels").at("severity").get<std::string>(), AnyOf("warning", "critical"));
    const json& told = alert.at("annotations");
    EXPECT_TRUE(told.at("summary").get<std::string>().ends_with('.')) << name;
    EXPECT_TRUE(told.at("description").get<std::string>().ends_with('.')) << name;
    EXPECT_EQ(told.at("runbook_url"), "docs/runbooks/" + name + ".md");
  }
}

TEST(Runbooks, ThereIsOneForEachAlertAndNoOther) {
  std::set<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(runbooks())) {
    pages.insert(entry.path().stem().string());
  }
  EXPECT_EQ(pages, alert_names());
}

TEST(Runbooks, EachSaysWhatToDo) {
  for (const json& alert : alerts()) {
    const std::string name = alert.at("alert");
    const std::string text = read_file(runbooks() / (name + ".md"));
    EXPECT_THAT(text, StartsWith("# " + name + "\n"));
    for (const char* heading :
         {"## What it means", "## How to look", "## Causes", "## When to ignore it"}) {
      EXPECT_THAT(text, HasSubstr(heading + std::string("\n"))) << name;
    }
    EXPECT_THAT(text, HasSubstr(alert.at("labels").at("severity").get<std::string>())) << name;
  }
}

TEST(Runbooks, AreLinkedFromThePageOnMonitoring) {
  const std::string page = read_file(source_dir() / "docs/monitoring.md");
  for (const std::string& name : alert_names()) {
    EXPECT_THAT(page, HasSubstr("[" + name + "](runbooks/" + name + ".md)"));
  }
}

// --- a Prometheus without an operator -----------------------------------------------------------

// The example of the page with static targets: Debian's Prometheus has no Kubernetes discovery.
std::string example_configuration() {
  const std::string page = read_file(source_dir() / "docs/monitoring.md");
  const std::size_t begin = page.find("rule_files:");
  std::string out;
  for (std::string line : lines_of(page.substr(begin, page.find("\n```", begin) - begin))) {
    if (line.starts_with("  kubernetes_sd_configs:")) {
      line = "  static_configs: [{targets: [localhost:8443]}]";
    }
    out += line + "\n";
  }
  return out;
}

TEST(Monitoring, TheExampleOfAScrapeConfigurationIsOne) {
  const TemporaryFolder folder;
  const auto file = folder / "prometheus.yaml";
  std::ofstream(file) << example_configuration();
  must_run({"promtool", "check", "config", "--syntax-only", file});
}

TEST(Monitoring, TheExampleNamesTheJobsThatTheRulesGoBy) {
  std::set<std::string> jobs;
  const json all = parse_yaml(example_configuration()).value().at(0).at("scrape_configs");
  for (const json& job : all) {
    jobs.insert(job.at("job_name").get<std::string>());
    EXPECT_EQ(job.at("honor_labels"), true);
  }
  EXPECT_EQ(jobs, (std::set<std::string>{"minicluster-operator-controller-metrics",
                                         "minicluster-operator-webhook-metrics"}));
}

}  // namespace
}  // namespace mc::test
