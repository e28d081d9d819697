#include "tests/support/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::test {
namespace {

using ::testing::ElementsAre;

const json kDashboard = json::parse(R"json({
  "title": "A dashboard",
  "templating": {"list": [
    {"name": "datasource", "type": "datasource", "query": "prometheus"},
    {"name": "job", "type": "query", "query": {"query": "label_values(a, job)"
}
},
    {"name": "job_name", "type": "query", "query": {"query": "label_values(a{job=~\"$job\"}, b)"}}
  ]
}
, "panels" : [
  {
    "type" : "row",
    "title" : "Folded",
    "panels" : [ {
      "type" : "stat",
      "title" : "One",
      "targets" : [
        {"expr" : "increase(a{job=~\"$job\",b=~\"$job_name\"}[$__range])", "legendFormat" : "x"}
      ]
    } ]
  },
  {
    "type" : "timeseries",
    "title" : "Two",
    "targets" : [
      {"expr" : "rate(a{job=~\"$job\"}[$__rate_interval])", "legendFormat" : "{{job}}"},
      {"expr" : "b", "legendFormat" : "y"}
    ]
  }
]
})json");

TEST(Dashboard, QueriesAreThoseOfAllPanelsWithTheirVariablesReplaced) {
  std::vector<std::string> expressions;
  for (const DashboardQuery& query : queries_of(kDashboard, "1m")) {
    EXPECT_EQ(query.dashboard, "A dashboard");
    expressions.push_back(query.panel + " " + query.legend + ": " + query.expression);
  }
  EXPECT_THAT(expressions, ElementsAre(R"(One x: increase(a{job=~".*",b=~".*"}[1h]))",
                                       R"(Two {{job}}: rate(a{job=~".*"}[1m]))", "Two y: b"));
}

TEST(Dashboard, PanelsAreThoseOfFoldedRowsTooAndNoRows) {
  std::vector<std::string> titles;
  for (const json& panel : panels_of(kDashboard)) titles.push_back(panel.at("title"));
  EXPECT_THAT(titles, ElementsAre("One", "Two"));
}

TEST(Dashboard, VariablesAreFilledByQueriesToo) {
  EXPECT_THAT(variable_queries_of(kDashboard),
              ElementsAre("label_values(a, job)", R"(label_values(a{job=~".*"}, b))"));
}

}  // namespace
}  // namespace mc::test
