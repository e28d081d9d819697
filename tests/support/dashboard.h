#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::test {

// A query of a Grafana dashboard, as sent to Prometheus.
struct DashboardQuery {
  std::string dashboard;   // its title
  std::string panel;       // the title of the panel
  std::string legend;      // legendFormat
  std::string expression;  // PromQL; `$__rate_interval` is `rate_interval`, `$__range` is 1h, and
                           // every variable of the dashboard is `.*`
};

// The dashboards of the chart, as Grafana imports them, sorted by path.
std::vector<std::filesystem::path> dashboard_files();

// The panels of a dashboard (its JSON), including those in collapsed rows, without the rows.
std::vector<json> panels_of(const json& dashboard);

// Every query of every panel, in the order of the panels.
std::vector<DashboardQuery> queries_of(const json& dashboard,
                                       const std::string& rate_interval = "5m");

// The queries for the variables of a dashboard, `label_values(SELECTOR, LABEL)`, with variables
// replaced as above.
std::vector<std::string> variable_queries_of(const json& dashboard);

}  // namespace mc::test
