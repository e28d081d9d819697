#pragma once
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/process.h"

namespace mc::test {

// The alerts of the chart's rules file, unchanged.
std::vector<json> alerts();

// Runs `promtool check rules` on these rules, as one group of a file.
Outcome check_rules(const json& rules);

// The names of the metrics that a PromQL expression selects: the words before a `{`. Every selector
// in the chart has one.
std::set<std::string> metrics_of(const std::string& expression);

// The metrics among them that neither program serves.
std::set<std::string> unknown_metrics_of(const std::string& expression);

}  // namespace mc::test
