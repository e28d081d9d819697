#pragma once
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/process.h"

namespace mc::test {

// The alerts of the chart's rules file, each as it is there.
std::vector<json> alerts();

// What `promtool check rules` says of these rules, as one group of a file.
Outcome check_rules(const json& rules);

// The names of the metrics that a PromQL expression selects: the words before a `{`. Every selector
// of ours has one.
std::set<std::string> metrics_of(const std::string& expression);

// Those of them that neither program serves.
std::set<std::string> unknown_metrics_of(const std::string& expression);

}  // namespace mc::test
