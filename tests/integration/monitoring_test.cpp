#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "tests/integration/monitoring_story.h"
#include "tests/support/dashboard.h"
#include "tests/support/metrics.h"

// What an administrator sees in a real Prometheus.
namespace mc::test {
namespace {

// The largest value of a result; nothing if there is none, or only NaN.
std::optional<double> largest(const json& result) {
  std::optional<double> out;
  for (const json& series : result) {
    const double value = std::stod(series.at("value").at(1).get<std::string>());
    if (!std::isnan(value)) out = std::max(out.value_or(value), value);
  }
  return out;
}

// Panels that show 0 in normal operation, or most of the time.
bool may_be_zero(const DashboardQuery& query) {
  static const std::set<std::string> kPanels = {
      "Failed reconciles",  "Waiting",          "Longest running reconcile",
      "Unfinished work",    "Failed requests",  "Reviews in flight",
      "Waiting for limits", "Time to bind all", "Bound in part"};
  static const std::set<std::string> kLegends = {"{{controller}} busy", "{{name}} retried",
                                                 "unusable {{job}}"};
  return kPanels.contains(query.panel) || kLegends.contains(query.legend);
}

class Monitoring : public MonitoringStory {
 protected:
  void SetUp() override { there().scraped(); }

  static const Prometheus& prometheus() { return there().prometheus(); }

  static std::vector<DashboardQuery> queries() {
    std::vector<DashboardQuery> out;
    for (const auto& file : dashboard_files()) {
      std::ranges::copy(queries_of(json::parse(read_file(file)), "1m"), std::back_inserter(out));
    }
    return out;
  }
  static void expect_data_in_every_panel() {
    for (const DashboardQuery& query : queries()) {
      EXPECT_TRUE(eventually([&] { return largest(prometheus().query(query.expression)); }))
          << query.dashboard << " | " << query.panel << " | " << query.expression;
    }
  }

  // phase -> number, from kubectl in the users' namespace.
  static std::map<std::string, int> phases() {
    std::map<std::string, int> counts;
    const json all = there().kubectl().get({"miniclusters"});
    for (const json& one : all.at("items")) {
      ++counts[value_at(one, "/status/phase", std::string("Pending"))];
    }
    return counts;
  }
  // The same from the metrics.
  static std::map<std::string, int> shown() {
    std::map<std::string, int> counts;
    const std::string ns = there().kubectl().namespace_name();
    const json result =
        prometheus().query("sum by(phase) (minicluster_clusters{namespace=\"" + ns + "\"})");
    for (const json& one : result) {
      counts[one.at("metric").at("phase")] = std::stoi(one.at("value").at(1).get<std::string>());
    }
    return counts;
  }
};

TEST_F(Monitoring, EveryQueryOfEveryPanelHasDataAndIsNotZeroWhereThereIsLoad) {
  for (const DashboardQuery& query : queries()) {
    std::optional<double> value;
    EXPECT_TRUE(eventually([&] {
      value = largest(prometheus().query(query.expression));
      return value && (*value > 0 || may_be_zero(query));
    })) << query.dashboard
        << " | " << query.panel << " | " << query.expression;
    std::cout << query.dashboard << " | " << query.panel << " | " << query.legend << " | "
              << value.value_or(std::nan("")) << std::endl;
  }
}

TEST_F(Monitoring, EveryVariableOfADashboardHasValues) {
  for (const auto& file : dashboard_files()) {
    for (const std::string& query : variable_queries_of(json::parse(read_file(file)))) {
      const std::size_t comma = query.rfind(',');
      const std::string selector = query.substr(query.find('(') + 1, comma - query.find('(') - 1);
      std::string label = query.substr(comma + 1, query.rfind(')') - comma - 1);
      label.erase(0, label.find_first_not_of(' '));
      EXPECT_FALSE(prometheus().api("label/" + label + "/values", {{"match[]", selector}}).empty())
          << query;
    }
  }
}

TEST_F(Monitoring, TheRulesAreEvaluatedAndNothingFires) {
  int rules = 0;
  const json groups = prometheus().api("rules").at("groups");
  for (const json& group : groups) {
    for (const json& rule : group.at("rules")) {
      ++rules;
      EXPECT_EQ(rule.at("health"), "ok") << rule.dump(2);
      EXPECT_NE(rule.at("state"), "firing") << rule.dump(2);
    }
  }
  EXPECT_GT(rules, 10);
}

// An alert on a missing metric would never fire.
TEST_F(Monitoring, EverySelectorOfEveryRuleHasData) {
  std::set<std::string> selectors;
  const json groups = prometheus().api("rules").at("groups");
  for (const json& group : groups) {
    for (const json& rule : group.at("rules")) {
      const std::string expression = rule.at("query");
      for (std::size_t at = expression.find('{'); at != std::string::npos;
           at = expression.find('{', at + 1)) {
        const std::size_t before = expression.find_last_of(" (-/", at);
        const std::size_t begin = before == std::string::npos ? 0 : before + 1;
        selectors.insert(expression.substr(begin, expression.find('}', at) + 1 - begin));
      }
    }
  }
  EXPECT_GT(selectors.size(), 10u);
  for (const std::string& selector : selectors) {
    EXPECT_TRUE(eventually([&] { return !prometheus().query(selector).empty(); })) << selector;
  }
}

TEST_F(Monitoring, WhatIsServedIsWhatThePageSays) {
  std::set<std::string> served;
  const json metadata = prometheus().api("metadata");
  for (const auto& [name, unused] : metadata.items()) served.insert(name);
  EXPECT_EQ(served, documented_metrics());
}

TEST_F(Monitoring, ThePhasesAreThoseThatKubectlShows) {
  EXPECT_TRUE(eventually([] { return shown() == phases(); }));
  EXPECT_GE(shown().at("Running"), 1);
  EXPECT_GE(shown().at("Starting"), 1);
  EXPECT_EQ(shown().at("Suspended"), 1);
}

// For all namespaces, because the metric has no namespace label.
TEST_F(Monitoring, TheReasonsAreThoseThatKubectlShows) {
  std::map<std::string, double> told, shown;
  EXPECT_TRUE(eventually([&] {
    told.clear();
    shown.clear();
    std::istringstream columns(there().kubectl().must(
        {"get", "miniclusters", "--all-namespaces", "--no-headers", "-o",
         "custom-columns=PHASE:.status.phase,WHY:.status.conditions[?(@.type==\"Ready\")].reason,"
         "READY:.status.conditions[?(@.type==\"Ready\")].status"}));
    for (std::string phase, why, ready; columns >> phase >> why >> ready;) {
      if (ready == "False" && phase != "Succeeded" && phase != "Failed") ++told[why];
    }
    for (const json& one : prometheus().query("minicluster_not_ready")) {
      shown[one.at("metric").at("reason")] = std::stod(one.at("value").at(1).get<std::string>());
    }
    return told == shown;
  })) << ::testing::PrintToString(told)
      << " is told, shown is " << ::testing::PrintToString(shown);
  EXPECT_GE(shown["Unschedulable"], 1);
  EXPECT_GE(shown["Suspended"], 1);
}

TEST_F(Monitoring, PromtoolFindsNoFaultInWhatIsServed) {
  for (const std::string& text : there().texts()) {
    must_run({"promtool", "check", "metrics"}, {.input = text, .environment = {}});
    EXPECT_LT(text.size(), 100u * 1024);
  }
}

TEST_F(Monitoring, AfterAFailoverEachMiniClusterIsCountedOnceAndOneLeads) {
  there().kill_leader();
  there().scraped();
  EXPECT_TRUE(eventually([] { return shown() == phases(); }));
  EXPECT_EQ(prometheus().value("sum(leader_election_master_status)"), 1);
  EXPECT_EQ(prometheus().value("count(count by(pod) (minicluster_clusters))"), 1);
  EXPECT_EQ(prometheus().value("count(count by(pod) "
                               "(minicluster_certificate_renewal_timestamp_seconds))"),
            1);
  expect_data_in_every_panel();
}

TEST_F(Monitoring, AfterARollingUpdateOfTheWebhookNothingOfTheOldPodsIsShown) {
  const json before = prometheus().query("up{job=~\".*webhook.*\"}");
  for (const std::size_t which : {0U, 1U}) there().replace_webhook(which);
  there().scraped();
  for (const json& old : before) {
    const std::string pod = old.at("metric").at("pod");
    EXPECT_TRUE(eventually([&] { return prometheus().query("{pod=\"" + pod + "\"}").empty(); }))
        << pod;
  }
  EXPECT_TRUE(eventually([] {
    return prometheus().value("sum(rate(controller_runtime_webhook_requests_total[10s]))") > 0;
  }));
  expect_data_in_every_panel();
}

}  // namespace
}  // namespace mc::test
