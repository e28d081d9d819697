#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/base/json.h"
#include "tests/charts/minicluster-operator/monitoring.h"
#include "tests/support/dashboard.h"
#include "tests/support/stage.h"

// The dashboards, without a Grafana.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::vector<json> dashboards() {
  std::vector<json> out;
  for (const auto& file : dashboard_files()) {
    out.push_back(json::parse(read_file(file), nullptr, false));
    EXPECT_FALSE(out.back().is_discarded()) << file << " is no JSON";
  }
  EXPECT_EQ(out.size(), 2U);
  return out;
}

TEST(Dashboards, HaveAnIdentityThatStays) {
  std::vector<std::string> uids;
  for (const json& dashboard : dashboards()) {
    uids.push_back(dashboard.at("uid"));
    EXPECT_TRUE(dashboard.at("id").is_null()) << "an id is one Grafana's own";
    EXPECT_GE(dashboard.at("schemaVersion"), 38);
  }
  EXPECT_THAT(uids, UnorderedElementsAre("minicluster-operations", "minicluster-fleet"));
}

TEST(Dashboards, TakeDataSourceNamespaceAndJobFromVariables) {
  for (const json& dashboard : dashboards()) {
    std::vector<std::string> names;
    for (const json& variable : dashboard.at("templating").at("list")) {
      names.push_back(variable.at("name"));
      if (variable.at("name") == "datasource") {
        EXPECT_EQ(variable.at("query"), "prometheus");
        continue;
      }
      EXPECT_EQ(variable.at("multi"), true);
      EXPECT_EQ(variable.at("includeAll"), true);
    }
    EXPECT_THAT(names, UnorderedElementsAre("datasource", "namespace", "job"));
    for (const std::string& query : variable_queries_of(dashboard)) {
      EXPECT_THAT(query, AllOf(StartsWith("label_values(minicluster_"), EndsWith(")")));
      EXPECT_THAT(query, Not(HasSubstr("$")));
    }
  }
}

TEST(Dashboards, EachPanelHasATitleASentenceAndAUnit) {
  for (const json& dashboard : dashboards()) {
    std::set<std::string> titles;
    const std::vector<json> panels = panels_of(dashboard);
    EXPECT_GE(panels.size(), 10U);
    for (const json& panel : panels) {
      const std::string title = text_at(panel, {"title"});
      const std::string told = text_at(panel, {"description"});
      EXPECT_FALSE(title.empty()) << panel;
      EXPECT_TRUE(titles.insert(title).second) << title << " is there twice";
      EXPECT_THAT(told, EndsWith(".")) << title;
      EXPECT_EQ(told.find(". "), std::string::npos) << title << ": more than one sentence";
      EXPECT_FALSE(text_at(panel, {"fieldConfig", "defaults", "unit"}).empty()) << title;
      EXPECT_EQ(text_at(panel, {"datasource", "uid"}), "${datasource}") << title;
    }
  }
}

TEST(Dashboards, NoIdIsGivenTwiceAndNoPanelCoversAnother) {
  for (const json& dashboard : dashboards()) {
    std::set<int> ids;
    std::set<std::pair<int, int>> covered;
    for (const json& panel : dashboard.at("panels")) {
      EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second) << panel.at("id");
      const json& at = panel.at("gridPos");
      const int left = at.at("x"), top = at.at("y"), width = at.at("w"), height = at.at("h");
      EXPECT_LE(left + width, 24) << panel.at("title");
      for (int x = left; x < left + width; ++x) {
        for (int y = top; y < top + height; ++y) {
          EXPECT_TRUE(covered.emplace(x, y).second) << panel.at("title") << " covers another";
        }
      }
    }
  }
}

TEST(Dashboards, EachQueryHasALegendAndAsksForMetricsThatAreServed) {
  for (const json& dashboard : dashboards()) {
    for (const DashboardQuery& query : queries_of(dashboard)) {
      EXPECT_FALSE(query.legend.empty()) << query.panel;
      EXPECT_FALSE(metrics_of(query.expression).empty()) << query.panel;
      EXPECT_THAT(unknown_metrics_of(query.expression), IsEmpty()) << query.panel;
      EXPECT_THAT(query.expression, Not(HasSubstr("$"))) << query.panel;
    }
    for (const json& panel : panels_of(dashboard)) {
      EXPECT_FALSE(panel.at("targets").empty()) << panel.at("title");
    }
  }
}

// A fixed window is empty for rare scrapes, and too fine for a range of a month.
TEST(Dashboards, RatesAreOverTheIntervalThatGrafanaChooses) {
  for (const json& dashboard : dashboards()) {
    for (const DashboardQuery& query : queries_of(dashboard, "WINDOW")) {
      for (std::size_t at = query.expression.find('['); at != std::string::npos;
           at = query.expression.find('[', at + 1)) {
        const std::string window = query.expression.substr(at, query.expression.find(']', at) - at);
        EXPECT_TRUE(window == "[WINDOW" || window == "[1h") << query.expression;
      }
    }
  }
}

TEST(Dashboards, PromtoolReadsEachQuery) {
  json rules = json::array();
  for (const json& dashboard : dashboards()) {
    for (const DashboardQuery& query : queries_of(dashboard)) {
      rules.push_back(
          {{"record", "query:" + std::to_string(rules.size())}, {"expr", query.expression}});
    }
  }
  EXPECT_GE(rules.size(), 50U);
  const Outcome outcome = check_rules(rules);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  rules.push_back({{"record", "query:wrong"}, {"expr", "sum by (a rate(b{}[5m]))"}});
  EXPECT_EQ(check_rules(rules).code, 1);
}

}  // namespace
}  // namespace mc::test
