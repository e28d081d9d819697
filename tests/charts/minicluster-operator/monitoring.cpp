#include "tests/charts/minicluster-operator/monitoring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "common/base/yaml.h"
#include "tests/support/helm.h"
#include "tests/support/metrics.h"
#include "tests/support/stage.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {
namespace {

// Histograms are served with a suffix.
bool is_served(const std::string& metric) {
  static const std::set<std::string> kFamilies = documented_metrics();
  if (kFamilies.contains(metric)) return true;
  return std::ranges::any_of(
      std::vector<std::string>{"_bucket", "_count", "_sum"}, [&](const std::string& ending) {
        return metric.ends_with(ending) &&
               kFamilies.contains(metric.substr(0, metric.size() - ending.size()));
      });
}

bool is_of_name(unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; }

}  // namespace

std::vector<json> alerts() {
  const auto file = parse_yaml(read_file(chart() / "files/alerts.yaml"));
  EXPECT_TRUE(file) << file.error().message;
  std::vector<json> out;
  if (!file) return out;
  for (const json& group : file->at(0).at("groups")) {
    for (const json& rule : group.at("rules")) out.push_back(rule);
  }
  return out;
}

Outcome check_rules(const json& rules) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "rules.yaml";
  const json group = {{"name", "checked"}, {"rules", rules}};
  std::ofstream(file) << json{{"groups", json::array({group})}};  // JSON is YAML
  return run({"promtool", "check", "rules", file});
}

std::set<std::string> metrics_of(const std::string& expression) {
  std::set<std::string> out;
  for (std::size_t end = expression.find('{'); end != std::string::npos;
       end = expression.find('{', end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && is_of_name(static_cast<unsigned char>(expression[begin - 1]))) --begin;
    out.insert(expression.substr(begin, end - begin));
  }
  return out;
}

std::set<std::string> unknown_metrics_of(const std::string& expression) {
  std::set<std::string> out = metrics_of(expression);
  std::erase_if(out, is_served);
  return out;
}

}  // namespace mc::test
