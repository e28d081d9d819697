#include "tests/support/dashboard.h"

#include <algorithm>

#include "common/base/json.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

struct Replacement {
  std::string name, by;
};

// Longest first, because `$job` is a prefix of `$job_name`.
std::vector<Replacement> replacements(const json& dashboard, const std::string& rate_interval) {
  std::vector<Replacement> out = {{"$__rate_interval", rate_interval}, {"$__range", "1h"}};
  for (const json& variable : at_path(dashboard, {"templating", "list"})) {
    if (variable.value("type", "") == "datasource") continue;
    out.push_back({"$" + variable.value("name", ""), ".*"});
  }
  std::ranges::sort(out, [](const Replacement& left, const Replacement& right) {
    return left.name.size() > right.name.size();
  });
  return out;
}

std::string all_replaced(std::string text, const std::vector<Replacement>& by) {
  for (const Replacement& one : by) text = replaced(text, one.name, one.by);
  return text;
}

}  // namespace

std::vector<std::filesystem::path> dashboard_files() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(
           source_dir() / "charts/minicluster-operator/dashboards")) {
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

std::vector<json> panels_of(const json& dashboard) {
  std::vector<json> out;
  for (const json& panel : at_path(dashboard, {"panels"})) {
    if (panel.value("type", "") != "row") {
      out.push_back(panel);
      continue;
    }
    for (const json& inner : at_path(panel, {"panels"})) out.push_back(inner);
  }
  return out;
}

std::vector<DashboardQuery> queries_of(const json& dashboard, const std::string& rate_interval) {
  const std::vector<Replacement> by = replacements(dashboard, rate_interval);
  std::vector<DashboardQuery> out;
  for (const json& panel : panels_of(dashboard)) {
    for (const json& target : at_path(panel, {"targets"})) {
      out.push_back({dashboard.value("title", ""), panel.value("title", ""),
                     target.value("legendFormat", ""), all_replaced(target.value("expr", ""), by)});
    }
  }
  return out;
}

std::vector<std::string> variable_queries_of(const json& dashboard) {
  const std::vector<Replacement> by = replacements(dashboard, "5m");
  std::vector<std::string> out;
  for (const json& variable : at_path(dashboard, {"templating", "list"})) {
    if (variable.value("type", "") != "query") continue;
    out.push_back(all_replaced(variable.value("/query/query"_json_pointer, ""), by));
  }
  return out;
}

}  // namespace mc::test
