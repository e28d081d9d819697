#pragma once
#include <set>
#include <string>
#include <string_view>

namespace mc::test {

// The sum of all series of a family in a Prometheus text (version 0.0.4) whose labels hold
// `label` as it is written, for example `method="POST"`; of all its series where that is empty. 0
// where there is none.
double sum_of(std::string_view metrics, std::string_view family, std::string_view label = "");

// The families of both programs, as docs/metrics.md has them.
std::set<std::string> documented_metrics();

}  // namespace mc::test
